// What comes first: of the tasks that are ready, of those that fall due together, of all that time will change.
#include "testing/solo_worker.hpp"

#include <algorithm>

namespace errand::testing {
namespace {

constexpr std::size_t some = 100;

// Of a task that has not started.
std::optional<time_point> expiry_of(const found_task& task) {
    const auto body = decode_body(task.body);
    if (!body.expires_after) return std::nullopt;
    return body.due_at.value_or(body.submitted_at()) + *body.expires_after;
}

bool due_before(const found_task& a, const found_task& b) {
    const auto life = [](const found_task& one) { return incarnation_of(one.body); };
    return a.due_at != b.due_at ? a.due_at < b.due_at : life(a) < life(b);
}

}  // namespace

awaitable<std::vector<found_task>> solo_worker::tasks_in(state where, page_end goes_on) {
    std::vector<found_task> all;
    for (const auto& list : co_await home_.tasks().lists(where, "")) {
        list_call call{.of = list, .where = where, .newest_first = false, .after = {}, .limit = some};
        for (bool more = true; more;) {
            auto page = co_await home_.tasks().list(call);
            call.after = page.last;
            more = page.more;
            for (auto& item : page.items) {
                if (!goes_on(item.task)) {
                    more = false;
                    break;
                }
                all.push_back(std::move(item.task));
            }
        }
    }
    co_return all;
}

// The store keeps an order within each queue; who waits for a time stands there by that alone.
awaitable<void> solo_worker::make_ready() {
    co_await scheduler_.pass();
    const auto now = shared_.app.now();
    const auto is_due = [now](const found_task& one) { return one.due_at && *one.due_at <= now; };
    auto due = co_await tasks_in(state::delayed, is_due);
    for (auto& one : co_await tasks_in(state::retry, is_due)) due.push_back(std::move(one));
    std::ranges::stable_sort(due, due_before);
    for (const auto& one : due) {
        co_await home_.tasks().edit({.id = one.id,
                                     .seen = one.body,
                                     .body = one.body,
                                     .due_at = now,
                                     .expires_at = std::nullopt,
                                     .unstarted_only = false});
    }
    co_await promoter_.pass();  // what has expired
}

awaitable<std::optional<found_task>> solo_worker::first_ready() {
    const auto& served = shared_.app.settings.queues;
    std::optional<list_item> first;
    for (const auto& queue : (co_await home_.tasks().overview()).queues) {
        if (queue.ready == 0 || queue.paused_since) continue;
        if (!served.empty() && !served.contains(queue.queue)) continue;
        for (const auto& list : co_await home_.tasks().lists(state::ready, queue.queue)) {
            const list_call call{
                .of = list, .where = state::ready, .newest_first = false, .after = {}, .limit = 1};
            auto page = co_await home_.tasks().list(call);
            if (page.items.empty() || (first && first->order <= page.items.front().order)) continue;
            first = std::move(page.items.front());
        }
    }
    if (!first) co_return std::nullopt;
    co_return std::move(first->task);
}

awaitable<solo_worker::moments> solo_worker::first_change() {
    const auto now = shared_.app.now();
    moments next;
    const auto see = [&](const std::optional<time_point>& at, bool of_schedule) {
        if (!at || *at <= now) return;
        next.first = std::min(next.first.value_or(*at), *at);
        if (!of_schedule) next.beside_schedules = std::min(next.beside_schedules.value_or(*at), *at);
    };
    // What stands aside has no due time, and may expire.
    const auto see_head = [&](const found_task& one) {
        const bool of_schedule = schedule_of(one.body).has_value();
        see(one.due_at ? one.due_at : expiry_of(one), of_schedule);
        return !one.due_at || of_schedule;
    };
    co_await tasks_in(state::delayed, see_head);
    co_await tasks_in(state::retry, see_head);
    const auto see_expiry = [&](const found_task& one) {
        see(expiry_of(one), schedule_of(one.body).has_value());
        return true;
    };
    co_await tasks_in(state::waiting, see_expiry);
    co_await tasks_in(state::ready, see_expiry);  // of queues that are paused or not served
    co_await scheduler_.pass();
    if (const auto in = scheduler_.next()) see(now + *in, true);
    co_return next;
}

}  // namespace errand::testing
