// How an exchange takes tasks for those who ask, and what it remembers of them.
#include <errand/error.hpp>

#include "core/sealed_records.hpp"
#include "core/task_id.hpp"
#include "runtime/task_event.hpp"
#include "service/claim_together.hpp"
#include "worker/announce.hpp"

#include <algorithm>
#include <utility>

namespace errand::web {

namespace {

constexpr std::size_t most_bytes_held = std::size_t{64} * 1024 * 1024;
constexpr std::size_t most_groups_known = 10'000;
constexpr std::chrono::minutes kept_after_its_lease{1};
// Until a task that nobody takes here is there again.
constexpr duration passed_on_for{200};

// To whom it is given it is an attempt from now on.
void tell_started(const detail::app_core& app, const opened_attempt& of, const attempt& one) {
    if (!app.events.heard(event_kind::task_started)) return;
    auto said = task_event(event_kind::task_started, one.task.id, of.body);
    said.queue = one.task.queue;
    said.attempt = of.notes.attempts + 1;
    said.started_at = one.at;
    said.waited = wait_of(of.body, of.notes, one.at);
    app.events.publish(std::move(said));
}

}  // namespace

// In the order in which they asked, to each as many as it asked for.
void exchange::deal(const claim_party& all, std::vector<claimed_task> tasks) {
    const auto lease = all.front()->wish.lease;
    if (!tasks.empty() && care_ && lease < app_.settings.lease) care_->lease_ends(lease);
    const auto leaver = std::ranges::find(all, true, &claim_order::gone);
    auto to = all.begin();
    for (auto& task : tasks) {
        while (to != all.end() && ((*to)->gone || (*to)->got.size() >= (*to)->wish.limit)) ++to;
        // What is over was of those who have gone meanwhile, and goes back.
        const auto& taker = to != all.end() ? *to : leaver != all.end() ? *leaver : all.back();
        take_in(*taker, std::move(task));
    }
}

void exchange::take_in(claim_order& one, claimed_task task) {
    const auto now = store_->now();
    const auto forget_at = std::chrono::steady_clock::now() + one.wish.lease + kept_after_its_lease;
    attempt got{.task = std::move(task), .at = now, .worker = one.wish.worker, .forget_at = forget_at};
    got.lease_until = now + one.wish.lease;
    hold(got);
    if (app_.events.heard(event_kind::task_claimed))
        app_.events.publish(task_event(event_kind::task_claimed, got.task));
    std::optional<attempt_end> how;
    std::exception_ptr failure;
    try {
        auto of = open_attempt(app_, got.task);
        how = why_not(of, got, one.wish, now);
        if (!how) {
            if (auto why = why_locked(app_.seals(), of.body, of.notes)) {
                how = attempt_end::locked;
                auto said = task_event(event_kind::task_snoozed, got.task.id, of.body);
                said.text = std::move(*why);
                announce(app_, std::move(said));
            }
        }
        if (!how && gates_.adds_to(of.body, got.task.id, of.known)) {
            put(regroup_report(got.task, of.body));
            return;
        }
        if (is_carrier(got.task.id)) not_run_here_.insert(of.body.handler);
        if (!how) {
            give(one, std::move(of), std::move(got));
            return;
        }
    } catch (const bad_data&) {
        how = attempt_end::undecodable;
        failure = std::current_exception();
    }
    put(unbegun(app_, got, *how, failure, now));
}

// To whom it was claimed for, or to another who takes it.
void exchange::give(claim_order& to, opened_attempt of, attempt one) {
    if (!to.wish.takes || to.wish.takes(of)) {
        tell_started(app_, of, one);
        to.got.push_back(std::move(one));
        return;
    }
    if (const auto other = other_taker(of, one, to.wish.lease)) {
        one.worker = other->wish.worker;
        if (const auto at = held_.find(one.task.id); at != held_.end()) at->second.worker = one.worker;
        tell_started(app_, of, one);
        other->got.push_back(std::move(one));
        // It has what it waited for, and is looked for no more.
        std::erase(other->group->waiting, other);
        other->changed.cancel();
        return;
    }
    put(passed_on(of, one, passed_on_for));
    if (care_) care_->falls_due(passed_on_for);
}

// The first one who waits for such a task, and no longer than it is leased.
std::shared_ptr<claim_order> exchange::other_taker(const opened_attempt& of, const attempt& one,
                                                   duration lease) {
    for (const auto& [name, group] : groups_) {
        for (const auto& other : group->waiting) {
            const auto& wish = other->wish;
            const bool may = !other->gone && wish.lease <= lease && !why_not(of, one, wish, one.at);
            if (may && (!wish.takes || wish.takes(of))) return other;
        }
    }
    return nullptr;
}

// What stands aside, for all of one party: at the first look, and when there may be some since.
awaitable<void> exchange::adopt_for(claim_party all) {
    const auto& one = *all.front();
    while (adopting_) co_await changed_.wait();
    if (looked_aside_.size() > most_groups_known) looked_aside_.clear();
    auto& looked = looked_aside_[one.group->name];
    if (looked == asides_) co_return;
    looked = asides_;
    adopt_call call;
    call.queues = one.group->queues;
    // These come under one claim.
    call.limit = claims_apart(all) ? 1 : limit_of(all);
    call.lease = one.wish.lease;
    call.all_but = !one.wish.handlers;
    if (call.all_but) {
        call.handlers = app_.overrides.paused();
        call.handlers.insert(call.handlers.end(), not_run_here_.begin(), not_run_here_.end());
    } else {
        for (const auto& name : *one.wish.handlers) {
            // Else what is taken stands aside again at once, and is taken again.
            if (!app_.overrides.is_paused(name) && !not_run_here_.contains(name))
                call.handlers.push_back(name);
        }
        if (call.handlers.empty()) co_return;
    }
    adopting_ = true;
    adopt_answer answer;
    try {
        answer = co_await store_->adopt(call);
    } catch (const store_error&) {
        // It is asked again with the next look.
    }
    adopting_ = false;
    changed_.open();
    if (answer.more && !answer.tasks.empty()) looked_aside_[one.group->name] = 0;
    deal(all, std::move(answer.tasks));
}

void exchange::hold(const attempt& one) {
    // Also of one that is not kept, whose claim this service then never closes: its lease is to run out.
    ++open_claims_[one.task.claim];
    if (const auto at = held_.find(one.task.id); at != held_.end()) {
        const auto before = at->second.task.claim;
        let_go(one.task.id, before);
    }
    const auto size = one.task.body.size() + one.task.notes.size();
    if (held_bytes_ + size > most_bytes_held) return;
    held_.insert_or_assign(one.task.id, one);
    held_bytes_ += size;
    if (care_) care_->holds(held_.size());
}

attempt* exchange::held(const task_id& id, const ticket& by) {
    const auto at = held_.find(id);
    if (at == held_.end() || at->second.task.claim != by.claim) return nullptr;
    return by.mark == store_->claim_mark() ? &at->second : nullptr;
}

const attempt* exchange::held(const task_id& id) const {
    const auto at = held_.find(id);
    return at == held_.end() ? nullptr : &at->second;
}

void exchange::let_go(const task_id& id, claim_number claim) {
    const auto at = held_.find(id);
    if (at == held_.end() || at->second.task.claim != claim) return;
    const auto size = at->second.task.body.size() + at->second.task.notes.size();
    held_bytes_ -= std::min(size, held_bytes_);
    held_.erase(at);
    if (care_) care_->holds(held_.size());
    const auto open = open_claims_.find(claim);
    if (open == open_claims_.end() || --open->second > 0) return;
    open_claims_.erase(open);
    closed_.push_back(claim);
}

// Nobody has said anything of these: others have taken them over by now.
void exchange::forget_old() {
    const auto now = std::chrono::steady_clock::now();
    for (auto at = held_.begin(); at != held_.end();) {
        if (at->second.forget_at > now) {
            ++at;
            continue;
        }
        open_claims_.erase(at->second.task.claim);
        held_bytes_ -= std::min(at->second.task.body.size() + at->second.task.notes.size(), held_bytes_);
        at = held_.erase(at);
    }
    if (care_) care_->holds(held_.size());
}

}  // namespace errand::web
