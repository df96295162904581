#include "service/lmstfy/jobs.hpp"

#include <errand/error.hpp>
#include <errand/inspect.hpp>

#include "client/edit_task.hpp"
#include "client/settle_submission.hpp"
#include "client/submit_steps.hpp"
#include "client/within_quota.hpp"
#include "core/job_rules.hpp"
#include "runtime/task_event.hpp"
#include "runtime/task_gates.hpp"
#include "service/attempt.hpp"
#include "service/lmstfy/job_id.hpp"
#include "service/refusal.hpp"

#include <algorithm>

namespace errand::lmstfy {
namespace {

// ---- publishing ----

prepared_submission prepare_job(tenant& of, const publication& what, std::size_t place) {
    detail::draft draft;
    draft.app = &of.core();
    draft.wire_name = job_handler;
    draft.args = "[]";
    options extra;
    extra.queue = what.queue;
    draft.extra = std::make_shared<const options>(std::move(extra));
    auto one = job_of(prepare(std::move(draft)), what.terms, what.data[place]);
    if (!what.key) return one;
    one.conflict = on_conflict::where_free;
    one.id = derive_task_id("lmstfy", what.queue + '\n' + *what.key + '\n' + std::to_string(place));
    const auto* known = handlers::find(job_handler);
    if (known) one.id = placed_id(*known, one.id, one.shards);
    return one;
}

// Throws refusal when its Idempotency-Key was used for other data.
awaitable<void> need_same(store& in, task_id id, std::string args) {
    const auto there = co_await in.find(id);
    // One that is gone was the same when it came.
    if (!there || decode_body(there->body).args == args) co_return;
    throw web::refusal{422, "key_reused",
                       "this Idempotency-Key was used for other data: a new publication needs a new key",
                       "Idempotency-Key"};
}

// `instead_of`: what ends in the same step as the only one of them.
awaitable<void> publish_together(tenant& of, std::vector<prepared_submission> all,
                                 std::optional<task_to_end> instead_of) {
    auto& there = of.home();
    auto& core = of.core();
    if (const auto rules = core.overrides.quota_rules()) {
        for (auto& one : all) {
            count_what_runs(*rules, one.body);
            if (auto why = payload_refusal(core, *rules, one.body.handler, one.body.args.size()))
                std::rethrow_exception(why);
        }
        co_await need_quota(there, core, std::ssize(all));
    }
    std::vector<submission_item> items;
    for (auto& one : all) {
        incarnation life = 0;
        items.push_back(item_of(std::move(one), there.tasks().now(), life));
    }
    if (instead_of) items.front().instead_of = std::move(instead_of);
    const auto got = co_await submit_whole(there, std::move(items));
    if (!core.events.heard()) co_return;
    for (std::size_t i = 0; i < got.items.size(); ++i)
        tell_submitted(core.events, got.items[i], got.answers[i]);
}

// What is published is there, whatever comes of this.
awaitable<void> tell_of_delay(tenant& of, std::string queue, duration delay) {
    try {
        const auto work = co_await of.work();
        work->will_be_due(queue, delay);
    } catch (const store_error&) {
        // Who asks for it makes it ready.
    }
}

// ---- ending ----

// Whether it is a job of this queue.
bool is_job_of(const std::string& encoded, const std::string& queue) {
    const auto body = decode_body(encoded);
    return is_job(body) && body.queue == queue;
}

// By the claim that is known here. False: it is not under that claim any more.
awaitable<bool> end_held(tenant& of, web::exchange& work, web::attempt one) {
    const auto now = work.tasks().now();
    const auto opened = web::open_attempt(of.core(), one.task);
    auto done = web::judge(opened, one, web::spoken{}, now);
    if (co_await work.hand_in(std::move(done.what)) != report_verdict::accepted) co_return false;
    auto& events = of.core().events;
    if (events.heard()) {
        auto said = task_event(event_kind::task_succeeded, one.task.id, opened.body);
        said.attempt = opened.notes.attempts + 1;
        said.started_at = one.at;
        said.ended_at = now;
        events.publish(said);
    }
    co_return true;
}

// What is to end for a publication's sake; nullopt: it is no job of this queue.
awaitable<std::optional<task_to_end>> job_to_end(store& in, task_id id, std::string queue) {
    const auto found = co_await in.find(id);
    if (!found || !is_job_of(found->body, queue)) co_return std::nullopt;
    task_outcome outcome;
    outcome.ended_as = state::cancelled;
    co_return task_to_end{.id = id, .life = incarnation_of(found->body), .outcome = encode(outcome)};
}

// Of one that has ended without a word from who holds it: its claim is over as soon as it is said so. What was published in its place
// is there, whatever comes of this.
awaitable<void> forget_held(tenant& of, task_id id) {
    try {
        const auto work = co_await of.work();
        const auto* held = work->held(id);
        if (!held) co_return;
        const auto opened = web::open_attempt(of.core(), held->task);
        work->put(web::judge(opened, *held, web::spoken{}, work->tasks().now()).what);
    } catch (const store_error&) {
        // Its lease runs out.
    }
}

// ---- looking ----

awaitable<void> make_due_ready(tenant& of, std::string queue) {
    const auto work = co_await of.work();
    std::vector<std::string> queues{std::move(queue)};
    co_await work->make_due_ready(std::move(queues));
}

bool is_over(const task_body& body, const task_notes& notes, time_point now) {
    const auto ends_at = end_of_job(body, notes);
    return ends_at && *ends_at <= now;
}

// Ended as the store would by itself a little later.
awaitable<void> reap(store& in, task_id id) {
    task_outcome outcome;
    outcome.ended_as = state::expired;
    const auto record = encode(outcome);
    co_await in.remove(id, record);
}

struct open_job {
    found_task task;
    task_body body;
    task_notes notes;
};

open_job opened_job(found_task task) {
    open_job one{.task = std::move(task), .body = {}, .notes = {}};
    one.body = decode_body(one.task.body);
    std::optional<task_notes> notes;
    if (!one.task.outcome.empty()) notes = decode_outcome(one.task.outcome).notes;
    if (!one.task.notes.empty()) notes = decode_notes(one.task.notes);
    one.notes = notes.value_or(task_notes{});
    return one;
}

boost::json::object shown(tenant& of, const open_job& one, time_point now) {
    return json_of_job(of.name_space(),
                       {.id = one.task.id,
                        .queue = one.body.queue,
                        .where = one.task.where,
                        .body = &one.body,
                        .notes = &one.notes},
                       now);
}

// The first live job of a list.
awaitable<std::optional<open_job>> first_of(store& in, task_list of) {
    constexpr std::size_t looked_at_once = 8;
    list_call call{.of = std::move(of), .where = state::ready, .newest_first = false, .after = {}};
    call.limit = looked_at_once;
    for (bool more = true; more;) {
        auto page = co_await in.list(call);
        more = page.more;
        call.after = page.last;
        for (auto& item : page.items) {
            auto one = opened_job(std::move(item.task));
            if (!is_job(one.body)) continue;
            if (!is_over(one.body, one.notes, in.now())) co_return one;
            co_await reap(in, one.task.id);
        }
    }
    co_return std::nullopt;
}

// How many of those that are counted as ready have ended by themselves; of the first thousand.
awaitable<std::size_t> reap_first(store& in, std::string queue) {
    constexpr std::size_t looked_at = 200;
    constexpr int pages = 5;
    std::size_t reaped = 0;
    for (auto& of : co_await in.lists(state::ready, queue)) {
        list_call call{.of = std::move(of), .where = state::ready, .newest_first = false, .after = {}};
        call.limit = looked_at;
        bool more = true;
        for (int page = 0; page < pages && more; ++page) {
            auto got = co_await in.list(call);
            more = got.more;
            call.after = got.last;
            for (auto& item : got.items) {
                const auto one = opened_job(std::move(item.task));
                if (!is_job(one.body) || !is_over(one.body, one.notes, in.now())) continue;
                co_await reap(in, one.task.id);
                ++reaped;
            }
        }
    }
    co_return reaped;
}

}  // namespace

awaitable<std::vector<std::string>> publish(tenant& of, publication what) {
    co_await of.home().ready();
    auto& in = of.home().tasks();
    std::vector<prepared_submission> all;
    for (std::size_t i = 0; i < what.data.size(); ++i) all.push_back(prepare_job(of, what, i));
    std::optional<task_to_end> other;
    // By its key it may be that one.
    if (what.instead_of && all.front().id != *what.instead_of) {
        other = co_await job_to_end(in, *what.instead_of, what.queue);
        // Those of a handler that is known here have their place by its limits.
        const bool free = !what.key && !handlers::find(job_handler);
        // One step of the store is one of its parts: what takes the place of another is kept where that is.
        if (other && free) all.front().id = beside(all.front().id, other->id);
    }
    std::vector<std::string> ids;
    std::vector<std::pair<task_id, std::string>> keyed;
    for (const auto& one : all) {
        ids.push_back(job_text(one.id, what.terms.versioned));
        if (what.key) keyed.emplace_back(one.id, one.body.args);
    }
    // All or none: they are compared before any is published.
    for (const auto& [id, args] : keyed) co_await need_same(in, id, args);
    const bool one_step = other && in.shard_of(all.front().id) == in.shard_of(other->id);
    if (all.size() == 1 && !one_step) {
        co_await detail::submit_prepared(of.core(), std::move(all.front()));
    } else {
        co_await publish_together(of, std::move(all), one_step ? other : std::nullopt);
    }
    // Another one may have come with this key meanwhile.
    for (const auto& [id, args] : keyed) co_await need_same(in, id, args);
    if (what.terms.delay > 0) co_await tell_of_delay(of, what.queue, std::chrono::seconds{what.terms.delay});
    if (one_step) {
        co_await forget_held(of, other->id);
    } else if (other) {
        // In two steps the new one comes first: whoever repeats it with its key makes good what was left.
        co_await acknowledge(of, what.queue, other->id);
    }
    co_return ids;
}

awaitable<std::optional<duration>> acknowledge(tenant& of, std::string queue, task_id id) {
    const auto work = co_await of.work();
    auto& in = work->tasks();
    // Between a look and the step it may get on: each time it has got further.
    constexpr int most_tries = 20;
    for (int tries = 0; tries < most_tries; ++tries) {
        if (const auto* held = work->held(id)) {
            if (!is_job_of(held->task.body, queue)) co_return std::nullopt;
            const auto published = decode_body(held->task.body).submitted_at();
            if (co_await end_held(of, *work, *held)) co_return in.now() - published;
        }
        const auto found = co_await in.find(id);
        if (!found || !is_job_of(found->body, queue)) co_return std::nullopt;
        if (is_end(found->where)) {
            co_await remove_on(in, id);
        } else {
            const auto done = co_await cancel_on(in, id, incarnation_of(found->body), duration{0});
            if (done.known && !done.cancelled) continue;
        }
        if (found->where != state::working) co_return std::nullopt;
        co_return in.now() - decode_body(found->body).submitted_at();
    }
    throw store_error{"job " + to_text(id) + " was not ended: others changed it again and again meanwhile"};
}

awaitable<std::optional<boost::json::object>> peek_head(tenant& of, std::string queue) {
    co_await make_due_ready(of, queue);
    auto& in = of.home().tasks();
    std::optional<open_job> first;
    for (auto& list : co_await in.lists(state::ready, queue)) {
        auto one = co_await first_of(in, std::move(list));
        if (one && (!first || one->body.submitted_at() < first->body.submitted_at())) first = std::move(one);
    }
    if (!first) co_return std::nullopt;
    co_return shown(of, *first, in.now());
}

awaitable<std::optional<boost::json::object>> peek_job(tenant& of, std::string queue, task_id id) {
    auto& in = of.home().tasks();
    auto found = co_await in.find(id);
    if (!found || !is_job_of(found->body, queue)) co_return std::nullopt;
    const auto one = opened_job(std::move(*found));
    const bool dead = one.task.where == state::dead;
    if (!dead && (is_end(one.task.where) || is_over(one.body, one.notes, in.now()))) co_return std::nullopt;
    co_return shown(of, one, in.now());
}

awaitable<queue_sizes> sizes_of(tenant& of, std::string queue) {
    co_await make_due_ready(of, queue);
    auto& in = of.home().tasks();
    const auto all = co_await in.overview();
    queue_sizes got;
    const auto at = std::ranges::find(all.queues, queue, &queue_state::queue);
    if (at == all.queues.end()) co_return got;
    got.dead = at->dead;
    got.ready = at->ready;
    if (got.ready > 0) got.ready -= std::min(got.ready, co_await reap_first(in, queue));
    co_return got;
}

awaitable<void> destroy(tenant& of, std::string queue) {
    co_await make_due_ready(of, queue);
    task_filter ready{.state = state::ready, .queue = std::move(queue), .handler = std::string{job_handler}};
    co_await of.tasks().inspect().repair_all(std::move(ready), repair::remove);
}

}  // namespace errand::lmstfy
