#include "store/sqlite/schedules.hpp"

#include "core/bytes.hpp"
#include "core/schedule_record.hpp"

#include <algorithm>

namespace errand::sqlite {
namespace {

// A time before all others.
constexpr std::int64_t before_all = INT64_MIN;

// 0: there is no record.
std::uint64_t stamp_in(std::string_view record) {
    if (record.size() < schedule_record::stamp_length) return 0;
    return byte_reader{record, "schedule"}.fixed(schedule_record::stamp_length);
}

std::optional<task_id> last_run_in(std::string_view record) {
    if (record.size() < schedule_record::last_run_offset) return std::nullopt;
    const auto id =
        task_id::from_bytes(record.substr(schedule_record::last_run_offset, sizeof(task_id::bytes)));
    return id == task_id{} ? std::nullopt : id;
}

}  // namespace

// ---- what is kept --------------------------------------------------------------------------------------

last_run_seen schedules::standing_of(const task_id& id) {
    auto rows = sql_.standing_of_run(tx_.ns(), id.view());
    if (!rows.next()) return {};
    const auto* list = tx_.cache().find_list_of(rows.number(0));
    if (!list || list->kind == remnants) return {};
    if (!is_ended(list->kind)) return {.how = run_standing::open, .finished_at = {}};
    return {.how = run_standing::ended, .finished_at = time_point{duration{rows.number(1)}}};
}

kept_schedule schedules::with_last_run(const task_id& id, std::string record) {
    kept_schedule one{.id = id, .record = std::move(record)};
    if (const auto last = last_run_in(one.record)) one.last_run = standing_of(*last);
    return one;
}

schedules_answer schedules::find(std::span<const task_id> ids) {
    schedules_answer got{.now = tx_.time()};
    for (const auto& id : ids) {
        auto rows = sql_.schedule_record(tx_.ns(), id.view());
        got.schedules.push_back(with_last_run(id, rows.next() ? std::string{rows.bytes(0)} : std::string{}));
    }
    return got;
}

schedule_list schedules::list(std::string_view after, std::size_t limit) {
    schedule_list got;
    for (auto rows = sql_.page_of_schedules(tx_.ns(), after, limit + 1); rows.next();) {
        got.more = got.schedules.size() == limit;
        if (got.more) break;
        got.schedules.push_back(with_last_run(*task_id::from_bytes(rows.bytes(0)),
                                              std::string{rows.bytes(1)}));
        got.names.emplace_back(rows.bytes(2));
    }
    return got;
}

// ---- steps ---------------------------------------------------------------------------------------------

std::vector<step_verdict> schedules::step(std::span<const schedule_step> steps) {
    std::vector<step_verdict> verdicts;
    for (const auto& one : steps) verdicts.push_back(make(one));
    return verdicts;
}

bool schedules::may_be_made(const schedule_step& one, std::uint64_t stamp) {
    return stamp == one.seen && std::ranges::all_of(one.heard, [&](const task_id& ended) {
               return sql_.news_of_run(tx_.ns(), ended.view(), one.id.view()).next();
           });
}

step_verdict schedules::make(const schedule_step& one) {
    std::uint64_t stamp = 0;
    {
        auto rows = sql_.schedule_record(tx_.ns(), one.id.view());
        if (rows.next()) stamp = stamp_in(rows.bytes(0));
    }
    const bool changes = one.seen != 0 || !one.record.empty();
    if (changes && stamp == stamp_in(one.record)) return step_verdict::done;
    if (!may_be_made(one, stamp)) return step_verdict::stale;
    if (!one.record.empty()) {
        std::optional<std::int64_t> look;
        if (one.look_at) look = one.look_at->time_since_epoch().count();
        sql_.keep_schedule.run(tx_.ns(), one.id.view(), std::string_view{one.name}, look,
                               std::string_view{one.record});
        if (look) {
            tell_those([&](const auto& watcher) { return *look < watcher.until; });
            tx_.concerns_others();
        }
    } else if (changes) {
        sql_.drop_schedule.run(tx_.ns(), one.id.view());
    }
    for (const auto& ended : one.heard) sql_.drop_news_of_run.run(tx_.ns(), ended.view());
    for (const auto& item : one.runs) submissions_.submit_where_free(item);
    return step_verdict::done;
}

// ---- who looks -----------------------------------------------------------------------------------------

std::optional<std::int64_t> schedules::next_after(std::int64_t then) {
    auto rows = sql_.next_schedule(tx_.ns(), then);
    if (!rows.next() || rows.is_null(0)) return std::nullopt;
    return rows.number(0);
}

schedules_answer schedules::due(std::size_t limit) {
    schedules_answer got{.now = tx_.time()};
    for (auto rows = sql_.due_schedules(tx_.ns(), tx_.now(), limit); rows.next();)
        got.schedules.push_back(with_last_run(*task_id::from_bytes(rows.bytes(0)),
                                              std::string{rows.bytes(1)}));
    const auto next = next_after(tx_.now());
    auto until = next;
    if (next) {
        auto& keeper = tx_.idle.schedule_keepers[tx_.ns()];
        // Whoever has overslept does it no more.
        if (keeper.due < tx_.now() - 100) keeper.holder.clear();
        until = queues_.turn_of(keeper, *next);
        got.next = time_point{duration{*until}};
    }
    tx_.idle.watch_schedules({.who = &tx_.by(),
                              .until = until.value_or(INT64_MAX),
                              .asked = tx_.now(),
                              .next = next.value_or(INT64_MAX),
                              .first = next_after(before_all).value_or(INT64_MAX)});
    return got;
}

template <class Condition>
void schedules::tell_those(Condition holds) {
    std::vector<caller*> told;
    for (const auto& one : tx_.idle.schedule_watchers()) {
        if (one.who->ns == tx_.ns() && holds(one)) told.push_back(one.who);
    }
    for (auto* who : told) {
        tx_.idle.stop_watching_schedules(*who);
        tx_.notify(*who, notice::kind::schedules);
    }
}

// One that was due when they asked is known to them, and looked at just now by whoever came first.
void schedules::tell_of_others() {
    const auto first = next_after(before_all);
    if (!first) return;
    tell_those([&](const auto& watcher) {
        return *first < watcher.first || next_after(watcher.asked).value_or(INT64_MAX) < watcher.next;
    });
}

void schedules::leave() {
    tx_.idle.stop_watching_schedules(tx_.by());
    const auto keeper = tx_.idle.schedule_keepers.find(tx_.ns());
    if (keeper == tx_.idle.schedule_keepers.end() || keeper->second.holder != process_of(tx_.by().name))
        return;
    // Another one takes its place.
    tx_.idle.schedule_keepers.erase(keeper);
    bool told = false;
    tell_those([&](const auto&) { return !std::exchange(told, true); });
    if (!told) tx_.concerns_others();
}

}  // namespace errand::sqlite
