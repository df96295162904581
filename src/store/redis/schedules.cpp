// Schedules: records by compare-and-set, and the runs that come with them.
#include <errand/error.hpp>

#include "core/sha256.hpp"
#include "store/redis/shard_store.hpp"
#include "store/redis/submit_runs.hpp"

#include <algorithm>
#include <iterator>

namespace errand::redis {
namespace {

void add_schedule_keys(script_call& call, const keys& names) {
    for (auto& key : names.of_schedules()) call.key(std::move(key));
}

// As scripts/lib_schedules.lua writes it.
last_run_seen read_last_run(std::string_view text) {
    if (text.empty()) return {};
    if (text.front() == 'o') return {.how = run_standing::open};
    std::int64_t ms = 0;
    for (const char digit : text.substr(1)) ms = ms * 10 + (digit - '0');
    return {.how = run_standing::ended, .finished_at = time_point{duration{ms}}};
}

kept_schedule read_schedule(reply_reader& in) {
    kept_schedule one{.id = read_id(in.text())};
    one.record = in.text();
    one.last_run = read_last_run(in.text());
    return one;
}

schedules_answer read_schedules(reply_reader& in, time_point now) {
    schedules_answer got;
    got.now = now;
    got.next = read_time(in);
    while (!in.done()) got.schedules.push_back(read_schedule(in));
    return got;
}

// How many of these one call carries: about as many bytes as any call does, one step at least.
std::size_t fitting(std::span<const schedule_step> steps) {
    std::size_t n = 0;
    for (std::size_t bytes = 0; n < steps.size(); ++n) {
        bytes += steps[n].record.size();
        for (const auto& item : steps[n].runs) bytes += item.body.size();
        if (n > 0 && bytes > store::most_bytes_per_call) break;
    }
    return n;
}

std::string ids_text(std::span<const task_id> ids) {
    std::string text;
    for (const auto& id : ids) text += id.view();
    return text;
}

}  // namespace

awaitable<schedules_answer> shard_store::due_schedules(std::size_t limit) {
    script_call call{script_name::schedules_due, keys_};
    add_schedule_keys(call, keys_);
    call.arg(std::string_view{settings_.name});
    call.arg(limit);
    reply answer;
    reply_reader in{answer};
    const auto head = co_await ask(call, answer, in);
    co_return read_schedules(in, head.now);
}

awaitable<schedules_answer> shard_store::find_schedules(std::span<const task_id> ids) {
    schedules_answer all;
    do {
        script_call call{script_name::schedules_find, keys_};
        add_schedule_keys(call, keys_);
        for (const auto& id : ids.subspan(all.schedules.size())) call.arg(id.view());
        reply answer;
        reply_reader in{answer};
        const auto head = co_await ask(call, answer, in);
        auto some = read_schedules(in, head.now);
        all.now = some.now;
        std::ranges::move(some.schedules, std::back_inserter(all.schedules));
    } while (all.schedules.size() < ids.size());
    co_return all;
}

awaitable<std::vector<step_verdict>> shard_store::step_schedules(std::span<const schedule_step> steps) {
    std::vector<step_verdict> all;
    while (!steps.empty()) {
        const auto count = fitting(steps);
        const auto some = co_await step_some(steps.first(count));
        all.insert(all.end(), some.begin(), some.end());
        steps = steps.subspan(count);
    }
    co_return all;
}

awaitable<std::vector<step_verdict>> shard_store::step_some(std::span<const schedule_step> steps) {
    std::vector<const submission_item*> made;
    for (const auto& step : steps) {
        for (const auto& item : step.runs) made.push_back(&item);
    }
    script_call call{script_name::schedules_step, keys_};
    for (const auto word : {"", "", "each", "1"}) call.arg(std::string_view{word});
    add_runs(call, made);
    const auto steps_at = call.arguments() + 1;
    for (const auto& step : steps) {
        call.arg(step.id.view());
        call.own_arg(step.seen == 0 ? std::string{} : eight_bytes(step.seen));
        call.arg(std::string_view{step.record});
        if (step.look_at)
            call.arg(step.look_at->time_since_epoch().count());
        else
            call.arg(std::string_view{});
        call.arg(std::string_view{step.name});
        call.own_arg(ids_text(step.heard));
    }
    call.set_arg(0, steps_at);
    add_schedule_keys(call, keys_);
    reply answer;
    reply_reader in{answer};
    co_await ask(call, answer, in, caller::when_full::fail);
    std::vector<step_verdict> verdicts;
    while (!in.done()) verdicts.push_back(in.number() == 1 ? step_verdict::done : step_verdict::stale);
    co_return verdicts;
}

awaitable<schedule_list> shard_store::list_schedules(std::string after, std::size_t limit) {
    script_call call{script_name::schedules_list, keys_};
    add_schedule_keys(call, keys_);
    call.arg(std::string_view{after});
    call.arg(limit);
    reply answer;
    reply_reader in{answer};
    co_await ask(call, answer, in);
    schedule_list page;
    page.more = in.number() == 1;
    while (!in.done()) {
        page.names.emplace_back(in.text());
        page.schedules.push_back(read_schedule(in));
    }
    co_return page;
}

}  // namespace errand::redis
