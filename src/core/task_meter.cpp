#include "core/task_meter.hpp"

#include "core/utf8.hpp"

#include <algorithm>

namespace errand {
namespace {

double seconds_of(duration length) { return std::max(std::chrono::duration<double>(length).count(), 0.0); }

double unix_seconds(time_point at) { return std::chrono::duration<double>(at.time_since_epoch()).count(); }

// "std::runtime_error" of "std::runtime_error: no route". What a program reports over HTTP may name none, or anything.
std::string_view error_type_of(std::string_view text) {
    constexpr std::size_t longest = 200;
    const auto type = utf8_prefix(text.substr(0, text.find(": ")), longest);
    return type.empty() ? "unspecified" : type;
}

}  // namespace

void handler_cells::merge(const handler_cells& other) {
    for (std::size_t at = 0; at < submitted.size(); ++at) submitted[at] += other.submitted[at];
    started += other.started;
    for (std::size_t at = 0; at < finished.size(); ++at) finished[at] += other.finished[at];
    expired += other.expired;
    ran_well.merge(other.ran_well);
    failed.merge(other.failed);
    merge_newest(well_seen, other.well_seen);
    merge_newest(failure_seen, other.failure_seen);
    whole.merge(other.whole);
}

void queue_cells::merge(const queue_cells& other) noexcept {
    wait.merge(other.wait);
    recovered += other.recovered;
    unknown += other.unknown;
}

event_stream::kinds task_meter::kinds() noexcept {
    using enum event_kind;
    event_stream::kinds all = 0;
    for (const auto one : {task_submitted, task_duplicate, submission_refused, task_started, task_succeeded,
                           task_retrying, task_snoozed, task_given_back, task_dead, task_expired,
                           task_cancelled, handler_unknown, lease_lost, task_recovered, report_stale})
        all |= event_stream::kind_bit(one);
    return all;
}

void task_meter::count(const event_brief& what) noexcept {
    switch (what.kind) {
    case event_kind::task_submitted: return submitted(what, submit_result::accepted);
    case event_kind::task_duplicate: return submitted(what, submit_result::duplicate);
    case event_kind::submission_refused: return submitted(what, submit_result::refused);
    case event_kind::task_started: return started(what);
    case event_kind::task_succeeded: return finished(what, attempt_outcome::success);
    case event_kind::task_snoozed: return finished(what, attempt_outcome::snoozed);
    case event_kind::task_given_back: return finished(what, attempt_outcome::given_back);
    case event_kind::task_cancelled: return finished(what, attempt_outcome::cancelled);
    case event_kind::lease_lost: return finished(what, attempt_outcome::lost);
    case event_kind::task_retrying: failed(what); return finished(what, attempt_outcome::retry);
    case event_kind::task_dead: failed(what); return finished(what, attempt_outcome::dead);
    case event_kind::task_expired: return parts_.here([&](part& in) { ++cells_of(in, what).expired; });
    case event_kind::handler_unknown: return parts_.here([&](part& in) { ++queue_of(in, what).unknown; });
    case event_kind::task_recovered: return parts_.here([&](part& in) { ++queue_of(in, what).recovered; });
    case event_kind::report_stale: return parts_.here([&](part& in) { ++in.stale; });
    default: return;
    }
}

void task_meter::submitted(const event_brief& what, submit_result how) {
    parts_.here([&](part& in) {
        cells_of(in, what).submitted.at(static_cast<std::size_t>(how)) += what.times;
    });
}

void task_meter::started(const event_brief& what) {
    parts_.here([&](part& in) {
        ++cells_of(in, what).started;
        if (what.waited) queue_of(in, what).wait.add(attempt_bounds, seconds_of(*what.waited));
    });
}

// What ended without having been started here is no attempt of this process.
void task_meter::finished(const event_brief& what, attempt_outcome how) {
    if (!what.started_at) return;
    parts_.here([&](part& in) {
        auto& cells = cells_of(in, what);
        ++cells.finished.at(static_cast<std::size_t>(how));
        if (!what.ended_at) return;
        const auto ran = seconds_of(*what.ended_at - *what.started_at);
        const bool well = how == attempt_outcome::success;
        const bool failed = how == attempt_outcome::retry || how == attempt_outcome::dead;
        if (well) cells.ran_well.add(attempt_bounds, ran);
        if (failed) cells.failed.add(attempt_bounds, ran);
        if ((well || failed) && !what.trace_id.empty()) {
            keep_newest(
                well ? cells.well_seen : cells.failure_seen, attempt_bounds,
                {.trace_id = std::string{what.trace_id}, .seconds = ran, .at = unix_seconds(*what.ended_at)});
        }
        const bool over = how == attempt_outcome::success || how == attempt_outcome::dead;
        if (over && what.submitted_at)
            cells.whole.add(task_bounds, seconds_of(*what.ended_at - *what.submitted_at));
    });
}

void task_meter::failed(const event_brief& what) {
    parts_.here([&](part& in) { ++cell_of(in, in.errors, errors_, what.handler, error_type_of(what.text)); });
}

bool task_meter::budget::admits(std::string_view first, std::string_view second) {
    series_name name{first, second};
    const std::lock_guard lock{guard_};
    if (names_.contains(name)) return true;
    if (names_.size() >= most_) return false;
    names_.insert(std::move(name));
    return true;
}

template <class Cell>
Cell& task_meter::cell_of(part& in, series<Cell>& of, budget& within, std::string_view first,
                          std::string_view second) {
    const std::pair name{first, second};
    if (const auto at = of.find(name); at != of.end()) return at->second;
    if (within.admits(first, second)) return of[series_name{first, second}];
    ++in.refused;
    return of[series_name{other, second.empty() ? std::string_view{} : other}];
}

template <class Cell>
Cell& task_meter::recent_cell(part& in, recent<Cell>& last, series<Cell>& of, budget& within,
                              std::string_view first, std::string_view second) {
    if (last.name && last.name->first == first && last.name->second == second) return *last.cell;
    auto& cell = cell_of(in, of, within, first, second);
    // What is counted as `_other` is looked up each time, and refused each time.
    if (const auto at = of.find(std::pair{first, second}); at != of.end()) last = {&at->first, &cell};
    return cell;
}

handler_cells& task_meter::cells_of(part& in, const event_brief& what) {
    return recent_cell(in, in.handler, in.handlers, handlers_, what.queue, what.handler);
}

queue_cells& task_meter::queue_of(part& in, const event_brief& what) {
    return recent_cell(in, in.queue, in.queues, queues_, what.queue, {});
}

task_figures task_meter::sum() const {
    task_figures all;
    parts_.each([&](const part& in) {
        for (const auto& [name, cells] : in.handlers) all.handlers[name].merge(cells);
        for (const auto& [name, cells] : in.queues) all.queues[name.first].merge(cells);
        for (const auto& [name, count] : in.errors) all.errors[name] += count;
        all.stale += in.stale;
        all.refused += in.refused;
    });
    // After the ends that are counted there, so that no more attempts have ended than have started.
    std::map<std::string, std::uint64_t> waited_ms;  // by queue
    const std::lock_guard lock{lanes_guard_};
    for (const auto& lane : lanes_) {
        lane->each([&](const series_name& name, const attempt_cells& cells) {
            auto& counted = all.handlers[name];
            const auto ran = cells.ran.read();
            counted.finished.at(static_cast<std::size_t>(attempt_outcome::success)) += ran.count();
            counted.ran_well.merge(ran);
            counted.whole.merge(cells.total.read());
            counted.started += cells.starts();
            all.queues[name.first].wait.merge(cells.waited.read_counts());
            waited_ms[name.first] += cells.waited.sum_ms();
        });
    }
    for (const auto& [queue, ms] : waited_ms) all.queues[queue].wait.sum += static_cast<double>(ms) / 1000;
    return all;
}

attempt_lane& task_meter::lend() {
    const std::lock_guard lock{lanes_guard_};
    if (free_lanes_.empty()) {
        free_lanes_.reserve(lanes_.size() + 1);
        return *lanes_.emplace_back(std::make_unique<attempt_lane>());
    }
    auto& one = *free_lanes_.back();
    free_lanes_.pop_back();
    return one;
}

void task_meter::take_back(attempt_lane& one) noexcept {
    const std::lock_guard lock{lanes_guard_};
    free_lanes_.push_back(&one);
}

attempt_cells* task_meter::admit(attempt_lane& to, std::string_view queue, std::string_view handler) {
    if (!handlers_.admits(queue, handler) || !queues_.admits(queue, {})) return nullptr;
    return &to.make(queue, handler);
}

}  // namespace errand
