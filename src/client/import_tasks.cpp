#include "client/import_tasks.hpp"

#include <errand/detail/engine.hpp>
#include <errand/error.hpp>

#include "client/deliver.hpp"
#include "client/within_quota.hpp"
#include "core/attempt_rules.hpp"
#include "core/json_quote.hpp"
#include "core/random.hpp"
#include "runtime/caller_loop.hpp"
#include "runtime/handlers.hpp"
#include "runtime/task_gates.hpp"

#include <algorithm>

namespace errand {
namespace {

std::string name_of_record(const std::string& import) { return std::string{import_record_front} + import; }

awaitable<import_record> find_on(loop& there, std::string name) {
    const auto bytes = co_await there.tasks().find_settings(name_of_record(name));
    co_return bytes.empty() ? import_record{} : decode_import(bytes);
}

awaitable<std::vector<named_import>> list_on(loop& there) {
    std::vector<named_import> all;
    const auto shards = co_await there.tasks().settings();
    for (const auto& shard : shards) {
        if (!shard) continue;
        for (const auto& one : *shard) {
            if (!one.handler.starts_with(import_record_front)) continue;
            all.push_back({one.handler.substr(import_record_front.size()), decode_import(one.record)});
        }
    }
    std::ranges::sort(all, {}, &named_import::name);
    co_return all;
}

awaitable<void> step_on(loop& there, std::string name, std::uint64_t seen, std::string record) {
    settings_step step{.handler = name_of_record(name), .seen = seen, .record = std::move(record)};
    const bool made = co_await there.tasks().set_settings(std::move(step));
    if (made) co_return;
    throw settings_conflict{"another process works on the import " + detail::quoted_extract(name) +
                            ": let one of them do it, or give this one another name"};
}

awaitable<import_record> take_over_on(loop& there, std::string name, std::uint64_t seen,
                                      import_record record) {
    record.stamp = random_bits() | 1U;
    co_await step_on(there, std::move(name), seen, encode(record));
    co_return record;
}

awaitable<import_record> keep_on(loop& there, std::string name, std::uint64_t seen, import_record record) {
    const auto now = there.tasks().now();
    if (record.began == time_point{}) record.began = now;
    record.next_at = record.next_count > 0 ? now : time_point{};
    return take_over_on(there, std::move(name), seen, std::move(record));
}

// A line as it is remembered while it is on its way.
struct line_on_its_way {
    std::uint64_t line = 0;
    bool has_biz_id = false;
    incarnation life = 0;

    // Also when it came to the store before.
    bool is_accepted(const submit_answer& answer) const {
        return is_written(answer.verdict) || !has_biz_id || answer.life == life;
    }
};

awaitable<import_answer> send_on(loop& there, std::vector<import_item> items, time_point at,
                                 std::chrono::milliseconds most) {
    std::vector<submission_item> tasks;
    std::vector<line_on_its_way> lines;
    import_answer got;
    for (auto& one : items) {
        lines.push_back({one.line, one.task.body.biz_id.has_value(),
                         one.life.value_or(import_life(at, one.line))});
        // Of what has a life of its own nobody may come back to say that it may be forgotten.
        const bool from_a_file = !one.life;
        tasks.push_back(item_of(std::move(one.task), lines.back().life));
        auto& task = tasks.back();
        task.may_come_again = true;
        task.may_come_again_there = from_a_file && task.shelve_after && (task.at || task.delay);
        got.sent.push_back({task.id, lines.back().life, task.may_come_again_there});
    }
    const auto answers = co_await deliver(there, std::move(tasks), most);
    for (std::size_t i = 0; i < answers.size(); ++i) {
        const auto& answer = answers[i];
        if (answer.failed) std::rethrow_exception(answer.failed);
        if (answer.refused) {
            got.refused.emplace_back(lines[i].line, describe(answer.refused).message);
        } else if (lines[i].is_accepted(answer.answer)) {
            ++got.accepted;
        } else {
            ++got.duplicates;
        }
    }
    co_return got;
}

awaitable<void> forget_on(loop& there, std::vector<delivered_task> sent) {
    co_await there.tasks().forget(sent);
}

awaitable<quota_answer> ask_on(loop& there, std::int64_t count) {
    if (!there.app().overrides.any_quota()) co_return quota_answer{.admitted = count};
    co_return co_await there.quotas().take(count, false);
}

awaitable<time_point> time_on(loop& there) { co_return there.tasks().now(); }

awaitable<std::uint64_t> ready_on(loop& there) {
    const auto seen = co_await there.tasks().overview();
    std::uint64_t ready = 0;
    for (const auto& one : seen.queues) ready += one.ready;
    co_return ready;
}

}  // namespace

import_item prepare_line(detail::draft from, std::string_view import, std::uint64_t line) {
    auto& app = *from.app;
    import_item one{.line = line, .task = prepare(std::move(from))};
    auto& task = one.task;
    if (const auto rules = app.overrides.quota_rules()) {
        if (const auto why = payload_refusal(app, *rules, task.body.handler, task.body.args.size()))
            std::rethrow_exception(why);
    }
    if (task.body.biz_id) return one;
    task.id = derive_import_id(import, line);
    if (const auto* known = handlers::find(task.body.handler))
        task.id = placed_id(*known, task.id, task.shards);
    return one;
}

awaitable<quota_answer> ask_import_quota(detail::app_core& app, std::int64_t count) {
    return on_caller_loop(&app, [count](loop& there) { return ask_on(there, count); });
}

awaitable<import_answer> send_import(detail::app_core& app, std::vector<import_item> items, time_point at,
                                     std::chrono::nanoseconds most) {
    const auto until = std::chrono::floor<std::chrono::milliseconds>(
        std::min<std::chrono::nanoseconds>(most, app.settings.store_timeout));
    return on_caller_loop(&app, [items = std::move(items), at, until](loop& there) mutable {
        return send_on(there, std::move(items), at, until);
    });
}

awaitable<void> forget_import(detail::app_core& app, std::vector<delivered_task> sent) {
    return on_caller_loop(&app, [sent = std::move(sent)](loop& there) mutable {
        return forget_on(there, std::move(sent));
    });
}

awaitable<import_record> find_import(detail::app_core& app, std::string name) {
    return on_caller_loop(&app, [name = std::move(name)](loop& there) { return find_on(there, name); });
}

awaitable<std::vector<named_import>> list_imports(detail::app_core& app) {
    return on_caller_loop(&app, [](loop& there) { return list_on(there); });
}

awaitable<import_record> keep_import(detail::app_core& app, std::string name, std::uint64_t seen,
                                     import_record record) {
    return on_caller_loop(&app, [name = std::move(name), seen, record = std::move(record)](loop& there) {
        return keep_on(there, name, seen, record);
    });
}

awaitable<import_record> take_over_import(detail::app_core& app, std::string name, import_record record) {
    return on_caller_loop(&app, [name = std::move(name), record = std::move(record)](loop& there) {
        return take_over_on(there, name, record.stamp, record);
    });
}

awaitable<void> drop_import(detail::app_core& app, std::string name, std::uint64_t seen) {
    return on_caller_loop(&app, [name = std::move(name), seen](loop& there) {
        return step_on(there, name, seen, std::string{});
    });
}

awaitable<time_point> store_time(detail::app_core& app) {
    return on_caller_loop(&app, [](loop& there) { return time_on(there); });
}

awaitable<std::uint64_t> count_ready(detail::app_core& app) {
    return on_caller_loop(&app, [](loop& there) { return ready_on(there); });
}

}  // namespace errand
