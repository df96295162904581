#include "service/store_page.hpp"

#include <errand/error.hpp>
#include <errand/proxy.hpp>

#include "core/task_meter.hpp"

#include <algorithm>
#include <map>

namespace errand::web {

namespace {

using steady = std::chrono::steady_clock;

// Schedules beyond are not looked at, and those of handlers beyond are one.
constexpr std::size_t most_schedules = 10'000, schedules_per_page = 1000, most_scheduled_handlers = 100;

struct queue_figures {
    std::map<state, std::size_t> tasks;
    std::map<state, std::int64_t> ended;
    std::int64_t failed = 0;
    double head_age = 0;
    bool paused = false;
    std::size_t workers = 0;
};

double in_seconds(duration length) { return std::chrono::duration<double>(length).count(); }

// Beyond as many queues as are kept apart the others are one.
std::map<std::string, queue_figures> figures_of(const std::vector<queue_info>& queues,
                                                const std::vector<worker_info>& workers) {
    std::map<std::string, queue_figures> all;
    std::map<std::string, std::string> shown_as;
    for (const auto& one : queues) {
        const bool room = all.size() < task_meter::most_queues;
        const auto& name =
            shown_as.emplace(one.name, room ? one.name : std::string{task_meter::other}).first->second;
        auto& sum = all[name];
        for (const auto& [in, count] : one.tasks) sum.tasks[in] += count;
        for (const auto& [as, count] : one.ended) sum.ended[as] += count;
        sum.failed += one.failed;
        sum.head_age = std::max(sum.head_age, in_seconds(one.oldest.value_or(duration{0})));
        sum.paused = sum.paused || one.paused;
    }
    for (const auto& worker : workers) {
        if (worker.stopping) continue;
        for (const auto& queue : worker.queues) {
            if (const auto at = shown_as.find(queue); at != shown_as.end()) ++all[at->second].workers;
        }
    }
    return all;
}

template <class Add>
void for_each_queue(metric_text& to, const metric_family& of, const std::map<std::string, queue_figures>& all,
                    Add add) {
    to.begin(of);
    for (const auto& [name, one] : all) add(std::string_view{name}, one);
}

void write_queues(metric_text& to, const std::map<std::string, queue_figures>& all) {
    for_each_queue(to, metric::tasks, all, [&](std::string_view name, const queue_figures& one) {
        for (const auto& [in, count] : one.tasks)
            to.add({{"queue", name}, {"state", to_string(in)}}, std::uint64_t{count});
    });
    for_each_queue(to, metric::queue_head_age, all, [&](std::string_view name, const queue_figures& one) {
        to.add({{"queue", name}}, one.head_age);
    });
    for_each_queue(to, metric::queue_paused, all, [&](std::string_view name, const queue_figures& one) {
        to.add({{"queue", name}}, std::uint64_t{one.paused ? 1U : 0U});
    });
    for_each_queue(to, metric::queue_workers, all, [&](std::string_view name, const queue_figures& one) {
        to.add({{"queue", name}}, std::uint64_t{one.workers});
    });
    for_each_queue(to, metric::queue_ended, all, [&](std::string_view name, const queue_figures& one) {
        for (const auto& [as, count] : one.ended)
            to.add({{"queue", name}, {"state", to_string(as)}}, static_cast<std::uint64_t>(count));
    });
    for_each_queue(to, metric::queue_attempts_failed, all,
                   [&](std::string_view name, const queue_figures& one) {
                       to.add({{"queue", name}}, static_cast<std::uint64_t>(one.failed));
                   });
}

void write_outboxes(metric_text& to, const std::vector<outbox_info>& all) {
    // One that cannot be asked says nothing, instead of that nothing waits.
    to.begin(metric::outbox_backlog);
    for (const auto& one : all) {
        if (one.trouble.empty()) to.add({{"database", one.database}}, std::uint64_t{one.backlog});
    }
    to.begin(metric::outbox_oldest);
    for (const auto& one : all) {
        if (one.trouble.empty()) to.add({{"database", one.database}}, in_seconds(one.oldest));
    }
}

}  // namespace

awaitable<std::string> store_page::text(metric_form form) {
    const auto seen = co_await looks_.see([this] { return look(); });
    co_return written(*seen, form);
}

awaitable<store_page::figures> store_page::look() {
    const auto began = steady::now();
    figures now;
    now.seen = co_await look_at_whole(detail::core_of(app_));
    now.outboxes = co_await app_.inspect().outboxes();
    try {
        now.schedules = co_await look_at_schedules();
    } catch (const bad_data&) {
        // One that this version cannot read does not keep back what is known of queues.
    }
    now.took = steady::now() - began;
    co_return now;
}

awaitable<store_page::ticks_by_handler> store_page::look_at_schedules() {
    ticks_by_handler all;
    std::string after;
    std::size_t seen = 0;
    do {
        auto page = co_await app_.schedules({.limit = schedules_per_page}, after);
        const auto now = std::chrono::floor<duration>(std::chrono::system_clock::now());
        for (const auto& one : page.schedules) {
            const bool room = all.size() < most_scheduled_handlers || all.contains(one.handler);
            auto& sum = all[room ? one.handler : std::string{task_meter::other}];
            if (one.next_at) sum.late = std::max(sum.late, now - *one.next_at);
            sum.missed += one.missed;
        }
        seen += page.schedules.size();
        after = std::move(page.next);
    } while (!after.empty() && seen < most_schedules);
    co_return all;
}

void store_page::write_schedules(metric_text& to, const ticks_by_handler& all) {
    to.begin(metric::schedule_late);
    for (const auto& [handler, one] : all) to.add({{"handler", handler}}, in_seconds(one.late));
    to.begin(metric::schedule_missed);
    for (const auto& [handler, one] : all)
        to.add({{"handler", handler}}, static_cast<std::uint64_t>(one.missed));
}

std::string store_page::written(const figures& now, metric_form form) {
    metric_text text{form};
    write_queues(text, figures_of(now.seen.queues, now.seen.workers));
    text.begin(metric::workers);
    text.add({}, std::uint64_t{now.seen.workers.size()});
    write_outboxes(text, now.outboxes);
    write_schedules(text, now.schedules);
    text.begin(metric::store_scrape);
    text.add({}, std::chrono::duration<double>(now.took).count());
    return std::move(text).finish();
}

}  // namespace errand::web
