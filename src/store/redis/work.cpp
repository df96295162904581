// What a worker says and asks of the tasks it holds: work (finish + claim), extend, yield_gates, note, stage, stages, recover.
#include <errand/error.hpp>

#include "core/kept_for.hpp"
#include "store/redis/shard_store.hpp"

#include <algorithm>

namespace errand::redis {
namespace {

std::string_view word_of(report::kind what) {
    switch (what) {
    case report::kind::end: return "end";
    case report::kind::later: return "later";
    case report::kind::retry: return "retry";
    case report::kind::aside: return "aside";
    case report::kind::give_back: return "give";
    case report::kind::join: return "join";
    case report::kind::regroup: return "regroup";
    }
    return "end";
}

bool kept_in_history(const report& one) {
    return one.what == report::kind::end && one.ended_as == state::success && one.retention.count() > 0;
}

// A success of a history list is found by that.
bool needs_queue(const report& one) { return !kept_in_history(one) || one.expires; }

bool alike(const report& a, const report& b) {
    return a.claim == b.claim && a.what == b.what && kept_in_history(a) == kept_in_history(b) &&
           a.retention == b.retention && a.delay == b.delay && a.priority == b.priority &&
           a.expires == b.expires && a.had_notes == b.had_notes && a.again == b.again &&
           a.strange == b.strange && a.gated == b.gated && a.tells_schedule == b.tells_schedule &&
           a.queue == b.queue;
}

// The script takes these without a look at what it need not know.
bool is_usual(const report& one) {
    return kept_in_history(one) && !one.had_notes && !one.expires && !one.again && !one.tells_schedule &&
           !one.gated;
}

// As scripts/finish.lua reads it. Keys are named only where the script needs them.
std::string spec_of(const report& one, script_call& call, const keys& names) {
    const auto queue = needs_queue(one) ? call.queue(one.queue) : 0;
    const auto history =
        kept_in_history(one) ? call.key(names.history(one.queue, kept_for(one.retention))) : 0;
    const auto time = one.what == report::kind::end ? one.retention : one.delay;
    const auto flag = [](bool set) { return set ? " 1" : " 0"; };
    return (is_usual(one) ? 'u' : '-') + std::to_string(10'000 + history).substr(1) +
           std::string{word_of(one.what)} + ' ' + std::to_string(queue) + ' ' +
           std::to_string(one.priority + (one.gated ? task_body::gated_bit : 0)) + ' ' +
           std::to_string(std::max<std::int64_t>(time.count(), 0)) + flag(one.had_notes) + flag(one.expires) +
           flag(one.again) + flag(one.strange) + flag(one.tells_schedule) + flag(one.gated);
}

void add_reports(script_call& call, const std::vector<report>& reports, const keys& names,
                 const strange_claims& strange) {
    // History keys stand behind those of all queues: the queues first.
    for (const auto& one : reports) {
        if (needs_queue(one)) call.queue(one.queue);
    }
    for (std::size_t from = 0; from < reports.size();) {
        auto to = from + 1;
        while (to < reports.size() && alike(reports[from], reports[to])) ++to;
        call.own_arg(spec_of(reports[from], call, names));
        call.own_arg(strange.text_of(reports[from].claim));
        call.arg(to - from);
        for (; from < to; ++from) {
            call.arg(reports[from].id.view());
            call.arg(std::string_view{reports[from].record});
        }
    }
}

// Each has the next claim; where some are no longer there it is said which it has.
void number_apart(std::vector<claimed_task>& claimed, reply_reader& in) {
    std::vector<std::size_t> places;
    if (!in.done()) places = read_positions(in);
    for (std::size_t at = 0; at < claimed.size(); ++at)
        claimed[at].claim += places.empty() ? at : places.at(at);
}

}  // namespace

// As scripts/lib_wake.lua says.
void shard_store::wait_as(const claim_request& claim) {
    given_lease_ = claim.lease;
    // With replicas that are to confirm it a task begins when they have.
    if (claim.takes_given && address_.wait == 0 && waits_as_ == settings_.name)
        waits_as_.append("\n").append(std::to_string(claim.lease.count())).append(process_mark());
}

awaitable<work_answer> shard_store::work(const work_call& asked) {
    const auto& claim = asked.claim;
    const auto told = may_ask_some(asked) ? waits_.to_ask(claim.queues) : std::vector<std::string_view>{};
    // Of a queue in which something is put off it is to hear when that falls due.
    const bool some = !told.empty() && std::ranges::none_of(asked.reports, [&told](const report& one) {
        return sets_a_time(one) && std::ranges::find(told, one.queue) == told.end();
    });
    // Of a part of its queues half of its slots at most: those left over are for all in their order, and who has a free one may
    // stand in the idle sets that this claim does not take it off.
    const auto limit = some ? (claim.limit + 1) / 2 : claim.limit;
    const bool keeps = claim.keeps_queues && limit > 0;

    script_call call{script_name::work, keys_};
    const auto ask_of = [&](std::string_view queue) {
        call.queue(queue);
        know(queue);
    };
    if (some)
        std::ranges::for_each(told, ask_of);
    else
        std::ranges::for_each(claim.queues, ask_of);
    begin(call, work_lanes_.at(asked.lane));
    call.arg(std::string_view{settings_.name});
    call.arg(limit);
    call.arg(claim.lease.count());
    call.arg(some ? told.size() : claim.queues.size());
    if (limit > 0) wait_as(claim);
    call.own_arg((may_be_idle_ ? '1' : '0') + waits_as_);
    call.arg(process_mark());
    call.arg(seen_.greatest());
    call.arg(std::string_view{claim.apart ? "1" : "0"});
    call.arg(asked.closed.size());
    for (const auto over : asked.closed) call.own_arg(strange_.text_of(over));
    add_reports(call, asked.reports, keys_, strange_);

    // Until the answer says otherwise.
    if (limit > 0) may_be_idle_ = true;
    reply answer;
    reply_reader in{answer};
    const auto strange = claim.shares_slots ? caller::when_strange::fail : caller::when_strange::wait;
    const auto question = keeps ? waits_.asks(claim.queues, some) : queue_waits::question{};
    work_answer got;
    try {
        const auto head = co_await ask(call, answer, in, caller::when_full::wait, strange);
        got = read_work(head, asked, in);
    } catch (...) {
        waits_.forget();
        throw;
    }
    const bool filled = got.claimed.size() >= limit;
    if (limit > 0) may_be_idle_ = some || !filled;
    if (keeps) look_ahead(got, some);
    if (keeps && !waits_.answered(question, filled) && listener_) listener_->woken();
    co_return got;
}

work_answer shard_store::read_work(const reply_head& head, const work_call& asked, reply_reader& in) {
    work_answer got;
    got.now = head.now;
    got.verdicts.assign(asked.reports.size(), report_verdict::accepted);
    for (const auto at : read_positions(in)) got.verdicts.at(at) = report_verdict::lease_lost;
    const auto claim = read_claim(in);
    got.next_due = read_time(in);
    got.claimed = read_claimed(in, claim);
    if (asked.claim.apart) number_apart(got.claimed, in);
    seen_.saw(got.claimed.empty() ? claim : got.claimed.back().claim);
    return got;
}

// Not one that frees what tasks of other queues wait for: who reports and claims in one call is to have seen these.
bool shard_store::may_ask_some(const work_call& asked) {
    const auto& claim = asked.claim;
    return claim.keeps_queues && claim.trusts_wakes && claim.limit > 1 && claim.queues.size() > 1 &&
           std::ranges::none_of(asked.reports, &report::gated);
}

// What falls due in a queue that was not asked is known from when it was.
void shard_store::look_ahead(work_answer& got, bool some) {
    got.skipped = some;
    if (!some)
        due_ = got.next_due;
    else if (due_ && *due_ > got.now && (!got.next_due || *due_ < *got.next_due))
        got.next_due = due_;
}

awaitable<void> shard_store::busy(std::span<const std::string> queues) {
    waits_.forget();
    const auto last = waits_.last_asked();
    script_call call{script_name::busy, keys_};
    for (const auto& queue : queues) call.queue(queue);
    call.arg(std::string_view{waits_as_});
    call.arg(queues.size());
    reply answer;
    reply_reader in{answer};
    std::exception_ptr failure;
    try {
        co_await ask(call, answer, in);
    } catch (...) {
        failure = std::current_exception();
    }
    if (!failure && waits_.last_asked() == last) {
        may_be_idle_ = false;
        co_return;
    }
    // A claim that was sent meanwhile may have been done before; and one that fails may have been done.
    waits_.forget();
    if (listener_) listener_->woken();
    if (failure) std::rethrow_exception(failure);
}

awaitable<extend_answer> shard_store::extend(const extend_call& asked) {
    script_call call{script_name::extend, keys_};
    call.arg(asked.lease.count());
    call.arg(std::string_view{asked.never_shorter ? "1" : "0"});
    call.arg(asked.claims.size());
    for (const auto claim : asked.claims) call.own_arg(strange_.text_of(claim));
    for (const auto& [id, claim] : asked.tasks) {
        call.arg(id.view());
        call.own_arg(strange_.text_of(claim));
    }
    reply answer;
    reply_reader in{answer};
    co_await ask(call, answer, in);
    extend_answer got;
    for (const auto at : read_positions(in)) got.lost_claims.push_back(asked.claims.at(at));
    for (const auto at : read_positions(in)) got.lost_tasks.push_back(asked.tasks.at(at));
    co_return got;
}

awaitable<std::vector<yield_verdict>> shard_store::yield_gates(std::span<const yield_wish> wishes) {
    script_call call{script_name::yield, keys_};
    begin(call, yield_lane_);
    for (const auto& one : wishes) {
        call.arg(std::string_view{one.back ? "1" : "0"});
        call.arg(one.id.view());
        call.own_arg(claim_text(one.claim));
    }
    reply answer;
    reply_reader in{answer};
    co_await ask(call, answer, in);
    std::vector<yield_verdict> got;
    got.reserve(wishes.size());
    for (const char letter : in.text()) {
        got.push_back(letter == 'd'   ? yield_verdict::done
                      : letter == 'w' ? yield_verdict::in_line
                                      : yield_verdict::lost);
    }
    co_return got;
}

awaitable<report_verdict> shard_store::note(const task_id& id, claim_number claim, std::string notes) {
    script_call call{script_name::note, keys_};
    call.arg(id.view());
    call.own_arg(strange_.text_of(claim));
    call.arg(std::string_view{notes});
    reply answer;
    reply_reader in{answer};
    const auto head = co_await ask(call, answer, in, caller::when_full::fail);
    co_return head.word == "ok" ? report_verdict::accepted : report_verdict::lease_lost;
}

awaitable<report_verdict> shard_store::stage(const task_id& id, claim_number claim, incarnation life,
                                             std::string record) {
    script_call call{script_name::stage, keys_};
    call.arg(id.view());
    call.own_arg(strange_.text_of(claim));
    call.own_arg(life_bytes(life));
    call.arg(std::string_view{record});
    reply answer;
    reply_reader in{answer};
    const auto head = co_await ask(call, answer, in);
    co_return head.word == "ok" ? report_verdict::accepted : report_verdict::lease_lost;
}

awaitable<stages_answer> shard_store::stages(const task_id& id, claim_number claim) {
    script_call call{script_name::stages, keys_};
    call.arg(id.view());
    call.own_arg(strange_.text_of(claim));
    reply answer;
    reply_reader in{answer};
    const auto head = co_await ask(call, answer, in);
    if (head.word != "ok") co_return stages_answer{.verdict = report_verdict::lease_lost, .records = {}};
    co_return stages_answer{.verdict = report_verdict::accepted, .records = std::string{in.text()}};
}

awaitable<recover_answer> shard_store::recover(std::size_t limit, duration lease) {
    script_call call{script_name::recover, keys_};
    begin(call, recover_lane_);
    call.arg(std::string_view{settings_.name});
    call.arg(limit);
    call.arg(lease.count());
    call.arg(process_mark());
    call.arg(seen_.greatest());
    reply answer;
    reply_reader in{answer};
    co_await ask(call, answer, in);
    recover_answer got;
    const auto claim = read_claim(in);
    seen_.saw(claim);
    got.next_end = read_time(in);
    got.tasks = read_claimed(in, claim);
    for (const auto at : read_positions(in)) got.tasks.at(at).handed = true;
    got.now = now();
    co_return got;
}

}  // namespace errand::redis
