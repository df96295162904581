#include "worker/reporter.hpp"

#include "store/report_load.hpp"
#include "worker/announce.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace errand {
namespace {

template <class T>
void append(std::vector<T>& to, std::vector<T>& from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

template <class T>
void take_first(std::vector<T>& to, std::vector<T>& from, std::size_t n) {
    const auto end = from.begin() + static_cast<std::ptrdiff_t>(n);
    to.assign(std::make_move_iterator(from.begin()), std::make_move_iterator(end));
    from.erase(from.begin(), end);
}

}  // namespace

void reporter::claimed(std::span<const claimed_task> tasks) {
    for (std::size_t at = 0; at < tasks.size();) {
        const auto claim = tasks[at].claim;
        std::size_t count = 0;
        for (; at < tasks.size() && tasks[at].claim == claim; ++at) ++count;
        open_[claim].unreported += count;
    }
}

void reporter::add(report&& one, leased_tasks::index leased_at, std::string handler) {
    more_pending(1);
    reports_.push_back(std::move(one));
    waiting_.leased_at.push_back(leased_at);
    waiting_.handlers.push_back(std::move(handler));
}

template <class Change>
void reporter::for_open(const std::vector<report>& reports, Change change) {
    // Many of one claim follow each other.
    auto at = open_.end();
    std::optional<claim_number> looked_for;
    for (const auto& one : reports) {
        if (one.claim != looked_for) at = open_.find(one.claim);
        looked_for = one.claim;
        if (at == open_.end()) continue;
        change(at->second);
        if (at->second.unreported > 0 || at->second.under_way > 0) continue;
        closed_.push_back(one.claim);
        open_.erase(at);
        at = open_.end();
    }
}

reporter::batch reporter::load(work_call& call) {
    batch taken;
    const auto n = reports_that_fit(reports_);
    if (n == reports_.size()) {
        call.reports = std::exchange(reports_, {});
        taken = std::exchange(waiting_, {});
        // As many again are likely.
        reports_.reserve(n);
        waiting_.leased_at.reserve(n);
        waiting_.handlers.reserve(n);
    } else {
        take_first(call.reports, reports_, n);
        take_first(taken.leased_at, waiting_.leased_at, n);
        take_first(taken.handlers, waiting_.handlers, n);
    }
    if (!call.reports.empty()) ++on_their_way_;
    // Those of which this call brings all that is left are closed by it, and the others know of what it brings.
    for_open(call.reports, [](open_claim& of) { --of.unreported; });
    for_open(call.reports, [](open_claim& of) { ++of.under_way; });
    call.closed = std::exchange(closed_, {});
    return taken;
}

void reporter::delivered(const work_call& call, const batch& sent, const work_answer& answer) {
    if (!answer.later.empty()) delivered_in_part(call, sent, answer);
    if (!call.reports.empty()) landed();
    if (!answer.later.empty()) return;
    less_pending(call.reports.size());
    for_open(call.reports, [](open_claim& of) { --of.under_way; });
    leased_.remove(sent.leased_at);
    for (std::size_t at = 0; at < call.reports.size() && at < answer.verdicts.size(); ++at) {
        tell(call.reports[at], sent.handlers[at], answer.verdicts[at]);
    }
}

// Of the others the lease is still to be extended, and their claims are not to be closed.
void reporter::delivered_in_part(const work_call& call, const batch& sent, const work_answer& answer) {
    const std::set<std::size_t> later{answer.later.begin(), answer.later.end()};
    for (std::size_t at = 0; at < call.reports.size(); ++at) {
        later_.push_back({call.reports[at], sent.leased_at[at], sent.handlers[at]});
        if (later.contains(at)) continue;
        answered(call.reports[at].id, call.reports[at].claim, answer.verdicts.at(at));
    }
    for (const auto& one : std::exchange(early_, {})) answered(one.id, one.claim, one.verdict);
}

void reporter::landed() {
    if (--on_their_way_ == 0) early_.clear();
}

void reporter::answered(const task_id& id, claim_number claim, report_verdict verdict) {
    const auto known = std::ranges::find_if(later_, [&](const late_report& one) {
        return one.what.id == id && one.what.claim == claim;
    });
    if (known == later_.end()) {
        if (on_their_way_ > 0) early_.push_back({id, claim, verdict});
        return;
    }
    const auto over = std::move(*known);
    later_.erase(known);
    less_pending(1);
    for_open({over.what}, [](open_claim& of) { --of.under_way; });
    leased_.remove({&over.leased_at, 1});
    tell(over.what, over.handler, verdict);
}

void reporter::put_back(work_call& call, batch sent) {
    if (!call.reports.empty()) landed();
    for (const auto claim : call.closed) open_.try_emplace(claim);
    for (auto& one : call.reports) {
        one.again = true;
        if (const auto at = open_.find(one.claim); at != open_.end()) {
            if (at->second.under_way > 0) --at->second.under_way;
            ++at->second.unreported;
        }
    }
    // A claim that was to be closed with none of its reports.
    for (const auto claim : call.closed) {
        const auto at = open_.find(claim);
        if (at == open_.end() || at->second.unreported > 0) continue;
        closed_.push_back(claim);
        open_.erase(at);
    }
    append(reports_, call.reports);
    append(waiting_.leased_at, sent.leased_at);
    append(waiting_.handlers, sent.handlers);
}

void reporter::tell(const report& one, const std::string& handler, report_verdict verdict) {
    if (verdict == report_verdict::lease_lost) {
        announce(shared_.app, {.kind = event_kind::report_stale,
                               .task = to_text(one.id),
                               .handler = handler,
                               .queue = one.queue});
    } else if (shared_.app.events.heard(event_kind::report_accepted)) {
        shared_.app.events.publish({.kind = event_kind::report_accepted,
                                    .task = to_text(one.id),
                                    .handler = handler,
                                    .queue = one.queue});
    }
}

}  // namespace errand
