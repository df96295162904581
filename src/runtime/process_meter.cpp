#include "runtime/process_meter.hpp"

#include "runtime/process_figures.hpp"

#include <algorithm>
#include <utility>

namespace errand {
namespace {

double seconds_of(std::chrono::steady_clock::duration length) {
    return std::chrono::duration<double>(length).count();
}

void write_deliveries(metric_text& to, const std::vector<outbox_counts>& all) {
    to.begin(metric::outbox_tasks);
    for (const auto& one : all) {
        to.add({{"database", one.database}, {"result", "delivered"}}, one.delivered);
        to.add({{"database", one.database}, {"result", "refused"}}, one.refused);
    }
}

}  // namespace

void process_meter::measure(event_stream& of) {
    std::call_once(once_, [&] {
        of.count_by(tasks_, task_meter::kinds());
        on_.store(true, std::memory_order_release);
    });
}

void process_meter::called(std::string_view operation, std::chrono::steady_clock::duration took,
                           bool answered) noexcept {
    parts_.here([&](part& in) {
        auto at = in.calls.find(operation);
        if (at == in.calls.end()) at = in.calls.emplace(std::string{operation}, call_cells{}).first;
        ++(answered ? at->second.ok : at->second.failed);
        at->second.took.add(call_bounds, seconds_of(took));
    });
}

void process_meter::answered(std::string_view route, std::string_view method, int status,
                             std::chrono::steady_clock::duration took) {
    parts_.here([&](part& in) {
        auto at = in.requests.find(route);
        if (at == in.requests.end()) at = in.requests.emplace(std::string{route}, request_cells{}).first;
        ++at->second.counts[{std::string{method}, status}];
        at->second.took.add(request_bounds, seconds_of(took));
    });
}

void process_meter::set_worker(std::function<worker_gauges()> look) {
    const std::lock_guard lock{guard_};
    look_ = std::move(look);
}

void process_meter::write_tasks(metric_text& to) const {
    const auto all = tasks_.sum();
    to.begin(metric::tasks_submitted);
    for (const auto& [name, cells] : all.handlers) {
        for (std::size_t how = 0; how < cells.submitted.size(); ++how) {
            to.add({{"queue", name.first}, {"handler", name.second}, {"result", submit_result_names.at(how)}},
                   cells.submitted.at(how));
        }
    }
    to.begin(metric::attempts_started);
    for (const auto& [name, cells] : all.handlers)
        to.add({{"queue", name.first}, {"handler", name.second}}, cells.started);
    to.begin(metric::attempts_finished);
    for (const auto& [name, cells] : all.handlers) {
        for (std::size_t how = 0; how < cells.finished.size(); ++how) {
            to.add(
                {{"queue", name.first}, {"handler", name.second}, {"outcome", attempt_outcome_names.at(how)}},
                cells.finished.at(how));
        }
    }
    to.begin(metric::tasks_expired);
    for (const auto& [name, cells] : all.handlers)
        to.add({{"queue", name.first}, {"handler", name.second}}, cells.expired);
    to.begin(metric::attempt_duration);
    for (const auto& [name, cells] : all.handlers) {
        const auto add = [&](std::string_view outcome, const histogram_cell& cell, const exemplars& seen) {
            if (cell.count() == 0) return;
            to.add({{"queue", name.first}, {"handler", name.second}, {"outcome", outcome}}, cell, seen);
        };
        add("success", cells.ran_well, cells.well_seen);
        add("failure", cells.failed, cells.failure_seen);
    }
    to.begin(metric::task_duration);
    for (const auto& [name, cells] : all.handlers) {
        if (cells.whole.count() > 0) to.add({{"queue", name.first}, {"handler", name.second}}, cells.whole);
    }
    to.begin(metric::attempt_failures);
    for (const auto& [name, count] : all.errors)
        to.add({{"handler", name.first}, {"error_type", name.second}}, count);
    to.begin(metric::task_wait);
    for (const auto& [queue, cells] : all.queues) to.add({{"queue", queue}}, cells.wait);
    to.begin(metric::leases_recovered);
    for (const auto& [queue, cells] : all.queues) to.add({{"queue", queue}}, cells.recovered);
    to.begin(metric::handlers_unknown);
    for (const auto& [queue, cells] : all.queues) to.add({{"queue", queue}}, cells.unknown);
    to.begin(metric::reports_stale);
    to.add({}, all.stale);
    to.begin(metric::series_refused);
    to.add({}, all.refused);
}

void process_meter::write_calls(metric_text& to) const {
    part all;
    parts_.each([&](const part& in) {
        for (const auto& [operation, cells] : in.calls) {
            auto& sum = all.calls[operation];
            sum.ok += cells.ok;
            sum.failed += cells.failed;
            sum.took.merge(cells.took);
        }
        for (const auto& [route, cells] : in.requests) {
            auto& sum = all.requests[route];
            for (const auto& [how, count] : cells.counts) sum.counts[how] += count;
            sum.took.merge(cells.took);
        }
    });
    to.begin(metric::store_calls);
    for (const auto& [operation, cells] : all.calls) {
        to.add({{"operation", operation}, {"result", "ok"}}, cells.ok);
        to.add({{"operation", operation}, {"result", "error"}}, cells.failed);
    }
    to.begin(metric::store_call_duration);
    for (const auto& [operation, cells] : all.calls) to.add({{"operation", operation}}, cells.took);
    to.begin(metric::store_reconnects);
    to.add({}, reconnects_.load());
    to.begin(metric::store_up);
    to.add({}, std::uint64_t{away_.load() > 0 ? 0U : 1U});
    to.begin(metric::http_requests);
    for (const auto& [route, cells] : all.requests) {
        for (const auto& [how, count] : cells.counts) {
            const auto code = std::to_string(how.second);
            to.add({{"route", route}, {"method", how.first}, {"code", code}}, count);
        }
    }
    to.begin(metric::http_request_duration);
    for (const auto& [route, cells] : all.requests) to.add({{"route", route}}, cells.took);
    to.begin(metric::http_streams);
    to.add({}, static_cast<double>(streams.load()));
}

// Where no worker runs there is nothing to say.
void process_meter::write_worker(metric_text& to) const {
    const std::lock_guard lock{guard_};
    if (!look_) return;
    const auto now = look_();
    to.begin(metric::worker_slots);
    to.add({}, std::uint64_t{now.slots});
    to.begin(metric::worker_slots_busy);
    to.add({}, std::uint64_t{now.busy});
    to.begin(metric::worker_stopping);
    to.add({}, std::uint64_t{now.stopping ? 1U : 0U});
    to.begin(metric::reports_pending);
    to.add({}, std::uint64_t{now.reports});
}

std::string process_meter::page(metric_form form, const std::vector<outbox_counts>& outboxes) const {
    metric_text text{form};
    write_tasks(text);
    text.begin(metric::loop_blocked);
    text.add({}, static_cast<double>(blocked_ms_.load()) / 1000);
    text.begin(metric::spans_dropped);
    text.add({}, spans_dropped->load());
    write_calls(text);
    write_deliveries(text, outboxes);
    write_worker(text);
    text.begin(metric::build_info);
    text.add({{"version", ERRAND_LIBRARY_VERSION}}, std::uint64_t{1});
    write_process_figures(text);
    return std::move(text).finish();
}

}  // namespace errand
