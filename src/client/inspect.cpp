// What is seen of a namespace: queues, tasks by page, workers, days.
#include <errand/error.hpp>
#include <errand/inspect.hpp>

#include "client/handle.hpp"
#include "client/inspect_rules.hpp"
#include "client/listing.hpp"
#include "client/whole_look.hpp"
#include "core/config_text.hpp"
#include "runtime/caller_loop.hpp"
#include "runtime/each_at_once.hpp"
#include "runtime/outbox_port.hpp"
#include "runtime/policy_cards.hpp"
#include "runtime/stored_info.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>
#include <functional>
#include <map>

namespace errand {

namespace json = boost::json;

namespace {

constexpr std::size_t running_per_call = 100;

running_info running_of(const found_task& task) {
    running_info one;
    one.id = to_text(task.id);
    const auto body = decode_body(task.body);
    one.handler = body.handler;
    one.queue = body.queue;
    if (!task.notes.empty()) one.attempt = decode_notes(task.notes).attempts + 1;
    one.started_at = task.claimed_at;
    return one;
}

// What all workers run, and who runs it.
using running_tasks = std::vector<std::pair<std::string, running_info>>;

awaitable<running_tasks> all_running(store& in) {
    running_tasks all;
    for (const auto& list : co_await in.lists(state::working, "")) {
        list_answer page{.items = {}, .last = {}, .more = true};
        while (page.more) {
            page = co_await in.list(
                {.of = list, .where = state::working, .after = page.last, .limit = running_per_call});
            for (const auto& item : page.items) all.emplace_back(item.task.worker, running_of(item.task));
        }
    }
    // A task that came to another worker while the pages were read may stand in two of them.
    std::ranges::stable_sort(all, {}, [](const auto& one) { return one.second.id; });
    const auto same = std::ranges::unique(all, {}, [](const auto& one) { return one.second.id; });
    all.erase(same.begin(), same.end());
    co_return all;
}

queue_info info_of(const queue_state& from, time_point now) {
    queue_info queue;
    queue.name = from.queue;
    queue.tasks = {
        {state::ready, from.ready},         {state::delayed, from.delayed}, {state::retry, from.retry},
        {state::waiting, from.waiting},     {state::success, from.success}, {state::dead, from.dead},
        {state::cancelled, from.cancelled}, {state::expired, from.expired}, {state::working, 0}};
    queue.paused = from.paused_since.has_value();
    queue.paused_since = from.paused_since;
    queue.idle_workers = from.idle_workers;
    if (from.next_submitted_at) queue.oldest = std::max(now - *from.next_submitted_at, duration{0});
    return queue;
}

// Of many queues and workers: nothing is looked for from the first one on.
std::vector<queue_info> queues_of(const overview_answer& seen, const totals_answer& happened,
                                  const running_tasks& running) {
    std::vector<queue_info> all;
    for (const auto& one : seen.queues) {
        all.push_back(info_of(one, seen.now));
        const auto rate = rates_of(happened, one.queue);
        all.back().finished_per_second = rate.finished;
        all.back().failed_per_second = rate.failed;
        const auto sums = sums_of(happened, one.queue);
        all.back().finished = sums.finished;
        all.back().failed = sums.failed;
        all.back().ended = {{state::success, sums.by_end.success},
                            {state::dead, sums.by_end.dead},
                            {state::cancelled, sums.by_end.cancelled},
                            {state::expired, sums.by_end.expired}};
    }
    for (const auto& [worker, task] : running) {
        const auto at = std::ranges::lower_bound(all, task.queue, {}, &queue_info::name);
        if (at != all.end() && at->name == task.queue) ++at->tasks[state::working];
    }
    return all;
}

awaitable<std::vector<queue_info>> queues_on(loop& there) {
    auto& in = there.tasks();
    const auto seen = co_await in.overview();
    const auto happened = co_await in.happened(0);
    const auto running = co_await all_running(in);
    co_return queues_of(seen, happened, running);
}

std::vector<std::string> texts_of(const json::object& card, std::string_view member) {
    std::vector<std::string> all;
    const auto* list = card.if_contains(member);
    if (!list || !list->is_array()) return all;
    for (const auto& one : list->get_array()) {
        if (one.is_string()) all.emplace_back(one.get_string());
    }
    return all;
}

std::int64_t number_of(const json::object& card, std::string_view member) {
    const auto* value = card.if_contains(member);
    std::error_code none;
    return value ? value->to_number<std::int64_t>(none) : 0;
}

worker_info worker_of(const worker_card& from) {
    worker_info one;
    one.name = from.name;
    one.alive_until = from.alive_until;
    std::error_code not_json;
    const auto card = json::parse(from.card, not_json);
    if (not_json || !card.is_object()) return one;
    const auto& members = card.get_object();
    if (const auto* host = members.if_contains("host"); host && host->is_string())
        one.host = std::string{host->get_string()};
    one.pid = number_of(members, "pid");
    if (const auto* version = members.if_contains("version"); version && version->is_string())
        one.version = std::string{version->get_string()};
    one.queues = texts_of(members, "queues");
    // Those that are paused are not among the names by which a worker is found.
    for (auto& [name, policy] : handlers_in(from.card).policies) one.handlers.push_back(std::move(name));
    if (one.handlers.empty()) one.handlers = texts_of(members, "handlers");
    one.concurrency = static_cast<std::size_t>(std::max<std::int64_t>(number_of(members, "concurrency"), 0));
    if (const auto started = number_of(members, "started"); started > 0)
        one.started_at = time_point{duration{started}};
    one.stopping = number_of(members, "stopping") != 0;
    one.blocking = texts_of(members, "blocking");
    return one;
}

// The connections of a process are named after it, with a number behind a colon.
std::string_view process_of(std::string_view connection) {
    const auto colon = connection.rfind(':');
    if (colon == connection.npos || colon + 1 == connection.size()) return connection;
    const bool is_number = connection.find_first_not_of("0123456789", colon + 1) == connection.npos;
    return is_number ? connection.substr(0, colon) : connection;
}

std::vector<worker_info> workers_of(const std::vector<worker_card>& cards, const running_tasks& running) {
    std::vector<worker_info> all;
    std::map<std::string, std::size_t, std::less<>> places;
    for (const auto& card : cards) {
        places[card.name] = all.size();
        all.push_back(worker_of(card));
    }
    for (const auto& [worker, task] : running) {
        auto at = places.find(worker);
        if (at == places.end()) at = places.find(process_of(worker));
        if (at != places.end()) all[at->second].running.push_back(task);
    }
    return all;
}

awaitable<std::vector<worker_info>> workers_on(loop& there) {
    auto& in = there.tasks();
    const auto cards = co_await in.workers();
    const auto running = co_await all_running(in);
    co_return workers_of(cards, running);
}

// A SQLite file does not know who waits in other processes: there those count that have a slot free.
void count_idle(std::vector<queue_info>& queues, const std::vector<worker_info>& workers) {
    for (auto& queue : queues) queue.idle_workers = 0;
    for (const auto& worker : workers) {
        if (worker.stopping || worker.running.size() >= worker.concurrency) continue;
        for (auto& queue : queues)
            queue.idle_workers += std::ranges::count(worker.queues, queue.name) > 0 ? 1U : 0U;
    }
}

awaitable<std::vector<queue_info>> queues_in_file(loop& there) {
    auto queues = co_await queues_on(there);
    const auto workers = co_await workers_on(there);
    count_idle(queues, workers);
    co_return queues;
}

awaitable<whole_look> whole_on(loop& there, bool in_file) {
    auto& in = there.tasks();
    overview_answer seen;
    totals_answer happened;
    std::vector<worker_card> cards;
    running_tasks running;
    // Side by side: while one answer is read the store is at the next.
    const auto look = [&](std::size_t at) -> awaitable<void> {
        if (at == 0) seen = co_await in.overview();
        if (at == 1) happened = co_await in.happened(1);
        if (at == 2) cards = co_await in.workers();
        if (at == 3) running = co_await all_running(in);
    };
    co_await each_at_once(4, look);
    whole_look all{.queues = queues_of(seen, happened, running),
                   .workers = workers_of(cards, running),
                   .today = days_of(happened, 1)};
    if (in_file) count_idle(all.queues, all.workers);
    co_return all;
}

awaitable<task_page> list_on(loop& there, task_filter which, std::string after, std::size_t limit,
                             list_order order) {
    auto found = co_await list_page(there.tasks(), std::move(which), std::move(after), limit, order);
    task_page page{.tasks = {}, .next = std::move(found.next), .looked_at = found.looked_at};
    for (const auto& task : found.tasks) {
        if (auto info = errand::info_of(task)) page.tasks.push_back(std::move(*info));
    }
    co_return page;
}

awaitable<std::optional<shelf_info>> shelf_on(loop& there) {
    auto seen = co_await there.tasks().look_at_shelf();
    if (!seen) co_return std::nullopt;
    shelf_info all{.database = std::move(seen->shown_url), .next_due = seen->next_due};
    for (const auto& [day, count] : seen->days) {
        all.tasks += count;
        all.days.emplace_back(time_point{std::chrono::days{day}}, count);
    }
    co_return all;
}

awaitable<std::vector<day_info>> history_on(loop& there, int days) {
    const auto happened = co_await there.tasks().happened(days);
    co_return days_of(happened, days);
}

}  // namespace

awaitable<std::vector<queue_info>> inspector::queues() const {
    const bool in_file = keeps_in_file(app_->settings);
    return on_caller_loop(app_, [in_file](loop& there) {
        return in_file ? queues_in_file(there) : queues_on(there);
    });
}

awaitable<whole_look> look_at_whole(detail::app_core& app) {
    const bool in_file = keeps_in_file(app.settings);
    return on_caller_loop(&app, [in_file](loop& there) { return whole_on(there, in_file); });
}

awaitable<task_page> inspector::list(task_filter which, std::string after, std::size_t limit,
                                     list_order order) const {
    if (limit < 1 || limit > 1000)
        throw usage_error{"inspect: a page has 1 to 1000 tasks, not " + std::to_string(limit)};
    return on_caller_loop(app_, [which = std::move(which), after = std::move(after), limit,
                                 order](loop& there) { return list_on(there, which, after, limit, order); });
}

awaitable<std::optional<task_info>> inspector::find(std::string id) const {
    return detail::find_info(*app_, std::move(id));
}

awaitable<std::vector<worker_info>> inspector::workers() const {
    return on_caller_loop(app_, [](loop& there) { return workers_on(there); });
}

awaitable<std::vector<std::size_t>> inspector::away() const {
    return on_caller_loop(app_, [](loop& there) { return there.tasks().away(); });
}

awaitable<std::vector<outbox_info>> inspector::outboxes() const {
    std::vector<outbox_info> all;
    const auto executor = co_await boost::asio::this_coro::executor;
    for (const auto& one : core_for(executor, *app_).outboxes()) all.push_back(co_await one->look());
    co_return all;
}

awaitable<std::optional<shelf_info>> inspector::shelf() const {
    return on_caller_loop(app_, [](loop& there) { return shelf_on(there); });
}

awaitable<std::vector<day_info>> inspector::history(int days) const {
    if (days < 1 || days > 400)
        throw usage_error{"inspect: a history is of 1 to 400 days, not " + std::to_string(days)};
    return on_caller_loop(app_, [days](loop& there) { return history_on(there, days); });
}

}  // namespace errand
