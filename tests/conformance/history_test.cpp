// Random histories of tasks that depend on each other, done to a store and to the rules of core: both must say the same.
#include "conformance/rule_model.hpp"
#include "support/store_fixture.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <random>

using namespace errand;
using namespace errand::test;

namespace {

constexpr int named_tasks = 7;
constexpr int seeds = 12;
constexpr int steps_of_a_history = 70;

class history {
public:
    explicit history(unsigned seed) : chance_{seed} {
        for (int i = 0; i < named_tasks; ++i) ids_.push_back(derive_task_id("h", name(i)));
        std::ranges::sort(ids_);
    }

    void run() {
        for (int step = 0; step < steps_of_a_history; ++step) {
            switch (below(10)) {
            case 0:
            case 1:
            case 2:
            case 3: submit(); break;
            case 4:
            case 5: work(); break;
            case 6: cancel(); break;
            case 7: revive(); break;
            default: tell_some(); break;
            }
            compare();
        }
        while (tell_some()) compare();
        nobody_was_forgotten();
    }

private:
    static std::string name(int i) { return "t" + std::to_string(i); }
    int below(int n) { return std::uniform_int_distribution{0, n - 1}(chance_); }
    bool one_of(int n) { return below(n) == 0; }
    const task_id& any() { return ids_[static_cast<std::size_t>(below(named_tasks))]; }
    void log(const std::string& words) { told_ += words + '\n'; }
    std::string number(const task_id& id) {
        return std::to_string(std::ranges::find(ids_, id) - ids_.begin());
    }

    submission_item item_for(const task_id& id) {
        constexpr std::array conflicts{on_conflict::keep, on_conflict::replace, on_conflict::reject,
                                       on_conflict::adopt, on_conflict::where_free};
        constexpr std::array rules{on_failed::cancel, on_failed::cancel, on_failed::wait, on_failed::run,
                                   on_failed::gather};
        auto item = item_with(id, "[]", conflicts[static_cast<std::size_t>(below(5))]);
        auto body = decode_body(item.body);
        body.biz_id = "known";
        for (int i = below(4); i > 0; --i) {
            const auto parent = any();
            if (std::ranges::find(body.after, parent) != body.after.end()) continue;
            body.after.push_back(parent);
            item.after.push_back({.id = parent, .accepted = one_of(12)});
        }
        if (!item.after.empty()) body.rule = rules[static_cast<std::size_t>(below(5))];
        item.rule = body.rule;
        item.body = encode(body);
        if (one_of(8)) item.delay = std::chrono::hours{1};
        auto words = "submit " + number(id) + " conflict " + std::to_string(static_cast<int>(item.conflict)) +
                     " rule " + letter_of(item.rule) + " after";
        for (const auto& one : item.after) words += ' ' + number(one.id) + (one.accepted ? "!" : "");
        log(words);
        return item;
    }

    void submit() {
        constexpr std::array modes{submit_mode::each, submit_mode::each, submit_mode::all_or_nothing,
                                   submit_mode::ask};
        const auto mode = modes[static_cast<std::size_t>(below(4))];
        auto order = ids_;
        std::ranges::shuffle(order, chance_);
        std::vector<submission_item> items;
        for (int i = below(3); i >= 0; --i) items.push_back(item_for(order[static_cast<std::size_t>(i)]));
        log("together, mode " + std::to_string(static_cast<int>(mode)));
        tell_what_is_in_the_way(items);
        const auto expected = model_.submit(items, mode);
        const auto got = here_.submit_all(store_, items, mode);
        INFO(told_);
        REQUIRE(got.size() == expected.size());
        for (std::size_t at = 0; at < got.size(); ++at) {
            INFO("item " << at);
            REQUIRE(static_cast<int>(got[at].verdict) == static_cast<int>(expected[at].verdict));
            REQUIRE(got[at].others == expected[at].others);
            if (mode != submit_mode::ask && expected[at].others.empty())
                REQUIRE(got[at].life == expected[at].life);
        }
    }

    // A store may have news of a success that nobody is to hear of, and takes no other life of that task until they are told.
    void tell_what_is_in_the_way(const std::vector<submission_item>& items) {
        const auto busy = [](const std::vector<submit_answer>& all) {
            return std::ranges::count(all, submit_verdict::busy, &submit_answer::verdict);
        };
        while (busy(here_.submit_all(store_, items, submit_mode::ask)) >
               busy(model_.submit(items, submit_mode::ask)))
            REQUIRE(tell_some());
    }

    void work() {
        const auto got = here_.claim(store_, 1).claimed;
        const auto ready =
            std::ranges::count(model_.tasks, state::ready, [](const auto& one) { return one.second.where; });
        INFO(told_);
        REQUIRE(got.size() == (ready > 0 ? 1U : 0U));
        if (got.empty()) return;
        const auto& task = got.front();
        auto& known = model_.tasks.at(task.id);
        REQUIRE(known.where == state::ready);
        switch (below(5)) {
        case 0:
            log("given back " + number(task.id));
            here_.finish(store_, {report_of(task, report::kind::give_back)});
            return;
        case 1:
            log("retry " + number(task.id));
            here_.finish(store_, {report_of(task, report::kind::retry, std::chrono::hours{1})});
            known.where = state::retry;
            known.started = true;
            return;
        case 2: return die(task);
        default: break;
        }
        const auto unique_for = one_of(3) ? duration{std::chrono::hours{1}} : duration{0};
        log("success " + number(task.id));
        here_.finish(store_, {success_of(task, std::chrono::hours{1}, unique_for)});
        model_.end(task.id, state::success, unique_for);
    }

    void die(const claimed_task& task) {
        log("dead " + number(task.id));
        auto report = report_of(task, report::kind::end);
        task_outcome outcome;
        outcome.ended_as = report.ended_as = state::dead;
        outcome.retention = report.retention = std::chrono::hours{1};
        outcome.attempts = 1;
        report.record = encode_end(outcome, store_->now(), task.body);
        here_.finish(store_, {report});
        model_.end(task.id, state::dead);
    }

    void cancel() {
        const auto id = any();
        if (!model_.tasks.contains(id)) return;
        log("cancel " + number(id));
        await(here_.io, store_->cancel(id, 0, outcome_of(state::cancelled)));
        model_.cancel(id);
    }

    void revive() {
        const auto id = any();
        const auto found = await(here_.io, store_->find(id));
        if (!found || !found->finished_at) return;
        log("revive " + number(id));
        task_notes notes;
        notes.revived = true;
        const auto life = incarnation_of(found->body);
        const bool revived = await(here_.io, store_->revive(id, life, *found->finished_at, encode(notes)));
        INFO(told_);
        REQUIRE(revived == model_.revive(id));
    }

    // As a resolver does; whether there was anything to tell.
    bool tell_some() {
        for (;;) {
            const auto got = await(here_.io, store_->take_news(1, std::chrono::seconds{10}));
            for (const auto& one : got.entries) tell(one);
            if (!got.entries.empty()) return true;
            // What was taken may have been overtaken, and dropped.
            if (!got.next || *got.next > got.now) return false;
        }
    }

    void tell(const news& one) {
        log(std::string{"news "} + static_cast<char>(one.what) + " of " + number(one.about));
        resolution told{.parent = one.about, .what = one.what, .children = one.heirs};
        INFO(told_);
        if (one.what == tidings::check) {
            REQUIRE(model_.news.contains({one.about, one.what}));
            told.children = {one.about};
        } else {
            REQUIRE(one.heirs == model_.others(errand::link::tells, one.about));
            // A store may say again what all have heard.
            REQUIRE(model_.holds(one.about, one.what));
        }
        if (one.what != tidings::success && one.what != tidings::revived)
            told.cancelled = outcome_of(state::cancelled);
        const auto again = await(here_.io, store_->resolve({&told, 1}, outcome_of(state::success))).at(0);
        REQUIRE(again == model_.resolve(told));
        delivery struck{.about = one.about, .what = one.what, .token = one.token, .last = true};
        for (const auto& child : one.heirs) {
            if (std::ranges::find(again, child) == again.end()) struck.done.push_back(child);
        }
        await(here_.io, store_->delivered({&struck, 1}));
        model_.delivered(struck);
    }

    void compare() {
        for (const auto& id : ids_) {
            const auto found = await(here_.io, store_->find(id));
            INFO(told_ << "task " << number(id));
            const auto known = model_.tasks.find(id);
            REQUIRE(found.has_value() == (known != model_.tasks.end()));
            if (!found) continue;
            REQUIRE(to_string(found->where) == to_string(known->second.where));
            if (found->where != state::waiting && found->where != state::cancelled) continue;
            const bool waits = model_.waiting.contains(id);
            REQUIRE(found->needs ==
                    (waits ? model_.others(errand::link::needs, id) : std::vector<task_id>{}));
            REQUIRE(found->failed == (waits ? model_.others(errand::link::failed, id).size() : 0));
        }
    }

    // All was told: nobody waits for what has ended already.
    void nobody_was_forgotten() {
        INFO(told_);
        for (const auto& [id, record] : model_.waiting) {
            if (record.phase != waiting_phase::waits) continue;
            INFO("task " << number(id));
            for (const auto& parent : model_.others(errand::link::needs, id)) {
                const auto known = model_.tasks.find(parent);
                REQUIRE((known == model_.tasks.end() || !is_end(known->second.where)));
            }
            REQUIRE(settle(record.phase, record.rule, [&](errand::link kind) {
                        return !model_.others(kind, id).empty();
                    }).then == settlement::none);
        }
    }

    std::mt19937 chance_;
    std::vector<task_id> ids_;
    std::string told_;
    rule_model::model model_;
    store_fixture here_;
    member store_ = here_.join("w");
};

}  // namespace

TEST_CASE("over random histories a store does what the rules say", "[depend]") {
    for (unsigned seed = 1; seed <= seeds; ++seed) {
        INFO("seed " << seed);
        history one{seed};
        one.run();
    }
}
