// Plans: chains and groups flattened into tasks that depend on each other, and submitted together.
#include <errand/error.hpp>
#include <errand/plan.hpp>

#include "client/batch_weight.hpp"
#include "client/plan_steps.hpp"
#include "client/settle_submission.hpp"
#include "client/submission_span.hpp"
#include "client/submit_steps.hpp"
#include "client/within_quota.hpp"
#include "runtime/caller_loop.hpp"
#include "runtime/task_event.hpp"
#include "runtime/task_gates.hpp"

#include <algorithm>

// ---- what is planned, as it leaves ------------------------------------------------------------------

namespace errand {

namespace {

std::vector<std::size_t> dependencies_of(std::span<const prepared_submission> all) {
    std::vector<std::size_t> each;
    for (const auto& one : all) each.push_back(one.after.size());
    return each;
}

// What was refused of a part: the first of it, and rather one that was than one that was kept back for it.
awaitable<void> check_answers(loop& there, const std::vector<prepared_submission>& all, std::size_t from,
                              submitter::group_answer& got, plan_answer& into) {
    for (std::size_t i = 0; i < got.answers.size(); ++i) {
        const auto& one = all[from + i];
        auto& answer = got.answers[i];
        if (!got.failures.empty() && got.failures[i]) std::rethrow_exception(got.failures[i]);
        if (is_unsettled(answer)) answer = co_await settle_submission(there, got.items[i], std::move(answer));
        if (!answer.others.empty()) {
            task_names known{{one.id, name_of(one.id, one.body.handler, one.body.biz_id)}};
            into.refused = co_await dependency_refusal(there.tasks(), answer, std::move(known));
            into.at = from + i;
            co_return;
        }
        auto refused = refusal(answer, one.id, one.body.handler, one.body.biz_id, one.conflict);
        if (refused && (!into.refused || answer.verdict == submit_verdict::rejected)) {
            into.refused = refused;
            into.at = from + i;
        }
    }
}

// False: one of them has larger arguments than may be. Throws quota_exceeded.
awaitable<bool> is_within_quota(loop& there, const detail::app_core& app,
                                std::vector<prepared_submission>& all, plan_answer& into) {
    const auto rules = app.overrides.quota_rules();
    if (!rules) co_return true;
    for (std::size_t i = 0; i < all.size(); ++i) {
        auto& body = all[i].body;
        count_what_runs(*rules, body);
        into.refused = payload_refusal(app, *rules, body.handler, body.args.size());
        into.at = i;
        if (into.refused) co_return false;
    }
    into.at.reset();
    co_await need_quota(there, app, std::ssize(all));
    co_return true;
}

}  // namespace

detail::draft group_call(detail::app_core& app, std::size_t others) {
    detail::draft node;
    node.app = &app;
    node.wire_name = group_handler;
    node.args = '[' + std::to_string(others) + ']';
    return node;
}

void wait_for(prepared_submission& one, const task_id& parent) {
    const bool is_group = one.body.rule == on_failed::gather;
    std::erase_if(one.after, [&](const parent_task& other) { return other.id == parent; });
    // The last one's result may be an argument; of a group's members each stands in its own place.
    if (!is_group) std::erase(one.body.after, parent);
    one.after.push_back({parent, false});
    one.body.after.push_back(parent);
}

void keep_for_others(prepared_submission& one) {
    const bool waits = !one.after.empty() || one.body.rule == on_failed::gather;
    if (!waits || one.body.retention) return;
    one.body.retention = one.retention;
    one.body.policy_retains = true;
}

bool is_one_step(std::span<const prepared_submission> all) {
    const auto dependencies = dependencies_of(all);
    // A task with more parents than a call takes is complete before any of them can end.
    const auto large = [](std::size_t its) { return its > store::parents_per_call; };
    return begin_of_step(dependencies, all.size()) == 0 && std::ranges::none_of(dependencies, large);
}

// From the last to the first, so that nothing runs before what waits for it is there.
awaitable<plan_answer> send_plan(loop& there, detail::app_core& app, std::vector<prepared_submission> all) {
    const auto dependencies = dependencies_of(all);
    const bool whole = is_one_step(all);
    plan_answer answer;
    if (app.overrides.any_quota() && !co_await is_within_quota(there, app, all, answer)) co_return answer;
    answer.tasks.resize(all.size());
    for (auto to = all.size(); to > 0;) {
        const auto from = begin_of_step(dependencies, to);
        std::vector<submission_item> items;
        std::vector<incarnation> lives(to - from);
        for (auto at = from; at < to; ++at)
            items.push_back(item_of(prepared_submission{all[at]}, there.tasks().now(), lives[at - from]));
        submitter::group_answer got;
        // In another shard the first could run before those that wait for it are there.
        if (whole || there.tasks().shards() > 1) {
            got = co_await submit_whole(there, std::move(items));
        } else {
            got = co_await there.submissions().submit_group(std::move(items), submit_mode::each);
        }
        co_await check_answers(there, all, from, got, answer);
        if (answer.refused) co_return answer;
        for (std::size_t i = 0; i < got.items.size(); ++i) {
            tell_submitted(app.events, got.items[i], got.answers[i]);
            const auto& one = all[from + i];
            answer.tasks[from + i] = detail::ref_of(app, one.id, lives[i], got.answers[i], one.retention);
        }
        to = from;
    }
    for (const auto& one : all) {
        if (one.child) one.child->keep();
    }
    co_return answer;
}

}  // namespace errand

// ---- chains and groups ------------------------------------------------------------------------------

namespace errand::detail {

namespace {

struct planned_task {
    draft call;
    std::vector<std::size_t> after;  // positions
    on_failed rule = on_failed::cancel;
    bool takes_result = false;
};

// A tree as a list in which each task stands behind those that it waits for.
class flat_plan {
public:
    explicit flat_plan(const plan_tree& tree) : app_{app_of(tree)} {
        if (!app_) throw usage_error{"a plan without any task cannot be submitted"};
        add(tree, std::nullopt, on_failed::cancel);
    }

    app_core& app() noexcept { return *app_; }
    void choose_core(const boost::asio::any_io_executor& executor) {
        app_ = &core_for(executor, *app_);
        for (auto& task : tasks) task.call.app = app_;
    }
    std::vector<planned_task> tasks;

private:
    using position = std::optional<std::size_t>;

    static app_core* app_of(const plan_tree& tree) {
        if (tree.what == plan_tree::kind::task) return tree.call.app;
        for (const auto& part : tree.parts) {
            if (auto* found = app_of(*part)) return found;
        }
        return nullptr;
    }

    // Returns the position of its last task.
    position add(const plan_tree& tree, position before, on_failed rule) {
        if (tree.always) rule = on_failed::run;
        switch (tree.what) {
        case plan_tree::kind::task: return add_task(tree, before, rule);
        case plan_tree::kind::chain: break;
        case plan_tree::kind::group: return add_group(tree, before, rule);
        }
        // Only its first part sees what comes before the chain.
        for (const auto& part : tree.parts) {
            before = add(*part, before, rule);
            rule = on_failed::cancel;
        }
        return before;
    }

    position add_task(const plan_tree& tree, position before, on_failed rule) {
        planned_task one{.call = tree.call, .after = {}, .rule = rule, .takes_result = tree.takes_result};
        if (before) one.after.push_back(*before);
        tasks.push_back(std::move(one));
        return tasks.size() - 1;
    }

    // A node of its own, which waits for all members; of a group without any for what comes before it.
    position add_group(const plan_tree& tree, position before, on_failed rule) {
        planned_task node{.call = {}, .after = {}, .rule = on_failed::gather};
        for (const auto& part : tree.parts) {
            if (const auto last = add(*part, before, rule)) node.after.push_back(*last);
        }
        const std::size_t others = node.after.empty() && before ? 1 : 0;
        if (others == 1) node.after.push_back(*before);
        node.call = group_call(*app_, others);
        tasks.push_back(std::move(node));
        return tasks.size() - 1;
    }

    app_core* app_;
};

awaitable<std::vector<prepared_submission>> prepared_tasks(flat_plan flat, std::shared_ptr<stage_run> stage) {
    std::vector<prepared_submission> all;
    for (auto& task : flat.tasks) {
        const bool is_group = task.rule == on_failed::gather;
        if (!flat.app().submit_wrappers.empty() && !is_group)
            task.call = co_await wrapped(std::move(task.call));
        // What its first argument will be is not known, and so neither are its keys.
        if (task.takes_result) task.call.keys.emplace();
        auto one = prepare(std::move(task.call));
        if (task.rule != on_failed::cancel) one.body.rule = task.rule;
        for (const auto at : task.after) wait_for(one, all[at].id);
        make_child_of(stage.get(), one);
        one.body.takes_result = task.takes_result;
        keep_for_others(one);
        all.push_back(std::move(one));
    }
    co_return all;
}

}  // namespace

awaitable<task_ref> submit_plan(plan_ptr tree) {
    auto executor = co_await boost::asio::this_coro::executor;
    flat_plan flat{*tree};
    flat.choose_core(executor);
    auto& app = flat.app();
    draft any;
    any.app = &app;
    auto held = transaction_of(any, ambient_of(executor));
    auto stage = stage_of(any, ambient_of(executor));
    auto all = co_await prepared_tasks(std::move(flat), std::move(stage));
    const auto seen = trace_submission(app, ambient_of(executor), all);
    if (held) {
        task_ref last;
        for (auto& one : all) last = held->hold(std::move(one));
        co_return last;
    }
    const auto sent = co_await on_loop(caller_loop(executor, app),
                                       [&](loop& there) { return send_plan(there, app, std::move(all)); });
    if (sent.refused) std::rethrow_exception(sent.refused);
    co_return sent.tasks.back();
}

}  // namespace errand::detail

namespace errand {

group_progress progress_of(const task_info& info) {
    group_progress all;
    all.total = info.after.size();
    if (info.handler == group_handler && info.args.size() == 1 && info.args[0] == 1) all.total = 0;
    if (info.state == state::success) {
        all.done = all.total;
        return all;
    }
    all.failed = std::min(info.failed_dependencies, all.total);
    all.done = all.total - std::min(info.waits_for_count + all.failed, all.total);
    return all;
}

}  // namespace errand
