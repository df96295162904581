// What a program says of a task that it works on: how its attempt has ended, how far it is, lines of its log, stages.
#include "service/attempt_calls.hpp"

#include <errand/detail/json_read.hpp>
#include <errand/error.hpp>
#include <errand/stage.hpp>

#include "core/stage_record.hpp"
#include "core/stage_rules.hpp"
#include "core/utf8.hpp"
#include "runtime/task_event.hpp"
#include "runtime/task_gates.hpp"
#include "service/calls.hpp"
#include "service/dead_call.hpp"
#include "service/exchange.hpp"
#include "service/instant.hpp"
#include "service/queue_bounds.hpp"
#include "service/refusal.hpp"
#include "service/values.hpp"
#include "worker/announce.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>

namespace errand::web {

namespace json = boost::json;

refusal claim_lost(const std::optional<found_task>& found) {
    constexpr auto code = "claim_lost";
    if (!found) return {409, code, "the task is not there any more, so this claim is over"};
    if (found->where == state::cancelled) return {409, code, "the task was cancelled, so this claim is over"};
    return {
        409, code,
        "the task is no longer under this claim: its lease has run out, or another outcome was reported of it"};
}

namespace {

constexpr std::size_t longest_line = 1000;

constexpr field claim_member{"claim", kind::text, "The text that came with the task", true};

constexpr std::array report_members{
    claim_member,
    field{
        "outcome", kind::text,
        "`success`; `failure` (a retry follows, or the task is dead), `discard` (dead at once), `snooze` (not now, uses no "
        "attempt), `give_back` (to the head of its queue, uses no attempt)",
        true},
    field{"result", kind::any, "Of a success"},
    field{
        "error", kind::object,
        "Of `failure` and `discard`, where it is needed: `{\"type\", \"message\"}`, of which the type may be left out"},
    field{
        "delay_ms", kind::integer,
        "Of `failure`: until the retry; without, the backoff of the handler. Of `snooze`, where it is needed. Negative: "
        "none"},
    field{
        "schedule", kind::object,
        "Of a success that is the run of a schedule, for that: `{\"next_at\", \"stop\", \"args\"}`: its next tick, whether it "
        "has no more, the arguments of later runs"},
};

constexpr std::array progress_members{
    claim_member,
    field{"done", kind::number, "The part that is done, 0 to 1", true},
    field{"text", kind::text, "Shown with it"},
};

constexpr std::array log_members{
    claim_member,
    field{"lines", kind::texts, "1 to 100 lines, of which 1000 bytes each are kept", true},
};

constexpr std::array stage_members{
    claim_member,
    field{"name", kind::text, "Of the stage, 1 to 255 bytes", true},
    field{"result", kind::any, "What the stage has yielded"},
    field{"length_ms", kind::integer, "How long it took (0)"},
};

constexpr std::array stages_members{claim_member};

// ---- what became of it ----

// Of runs that are limited the gates go with the arguments.
void complete_wish(const detail::app_core& app, const opened_attempt& of, schedule_wish& wish) {
    if (!wish) return;
    if (!of.body.origin) throw bad_request("the task is no run of a schedule", "schedule");
    if (wish.args && of.known && may_have_gates(of.body.origin->schedule, app.settings.shards))
        wish.gates = gates_of_task(*of.known, std::nullopt, *wish.args);
}

bool is_under(const std::optional<found_task>& found, const ticket& by) {
    return found && found->where == state::working && found->claim == by.claim;
}

json::object state_of(const task_id& id, state in) { return {{"id", to_text(id)}, {"state", to_string(in)}}; }

// The same report may have counted, and its answer may have been lost.
json::object same_answer(const task_id& id, const ticket& by, outcome_kind what,
                         const std::optional<found_task>& found) {
    if (found) {
        if (const auto before = counted_before(*found, by, what)) return state_of(id, *before);
    }
    throw claim_lost(found);
}

attempt attempt_in(found_task found, const ticket& by) {
    attempt one;
    one.task.id = found.id;
    one.task.claim = by.claim;
    one.task.queue = decode_body(found.body).queue;
    one.task.body = std::move(found.body);
    one.task.notes = std::move(found.notes);
    one.at = by.at;
    one.worker = by.worker;
    return one;
}

awaitable<std::optional<found_task>> look_for(exchange& work, const task_id& id) {
    co_return co_await work.tasks().find(id);
}

// Throws refusal (409) when it is not under this claim.
awaitable<attempt> need_attempt(exchange& work, const task_id& id, const ticket& by) {
    if (const auto* held = work.held(id, by)) co_return *held;
    auto found = co_await look_for(work, id);
    if (!is_under(found, by)) throw claim_lost(found);
    co_return attempt_in(std::move(*found), by);
}

// ---- notes ----

template <class Change>
awaitable<void> change_notes(exchange& work, task_id id, ticket by, Change change) {
    auto one = co_await need_attempt(work, id, by);
    task_notes notes;
    if (!one.task.notes.empty()) notes = decode_notes(one.task.notes);
    change(notes);
    auto record = encode(notes);
    // At once: what is said while this one is under way is to hold both.
    if (auto* held = work.held(id, by)) held->task.notes = record;
    work.tasks().know_claim(by.claim, by.mark);
    const auto taken = co_await work.tasks().note(id, by.claim, std::move(record));
    if (taken == report_verdict::accepted) co_return;
    const auto found = co_await look_for(work, id);
    throw claim_lost(found);
}

json::object json_of(const stage_record& stage) {
    return {{"name", stage.name},
            {"attempt", stage.attempt},
            {"started_at", instant_text(stage.started_at)},
            {"length_ms", stage.length.count()},
            {"result", stage.result.empty() ? json::value{} : detail::parse_json(stage.result, "result")}};
}

awaitable<std::string> kept_stages(exchange& work, const task_id& id, const ticket& by) {
    work.tasks().know_claim(by.claim, by.mark);
    auto kept = co_await work.tasks().stages(id, by.claim);
    if (kept.verdict == report_verdict::accepted) co_return std::move(kept.records);
    const auto found = co_await look_for(work, id);
    throw claim_lost(found);
}

// What a body says of one of these, for `path_of` of a member.
void check_stage_name(const members& given) {
    try {
        check_stage(*given.text("name"), stage_options{});
    } catch (const usage_error& why) {
        throw bad_request(why.what(), given.path_of("name"));
    }
}

void check_stage_size(const std::string& name, std::size_t result, std::size_t kept, std::size_t limit) {
    try {
        check_stage_result(name, result, limit);
        check_kept_stages(name, kept, limit);
    } catch (const bad_data& why) {
        throw refusal{413, "too_large", why.what(), "result"};
    }
}

}  // namespace

const fields report_fields{report_members};
const fields progress_fields{progress_members};
const fields log_fields{log_members};
const fields stage_fields{stage_members};
const fields stages_fields{stages_members};

void tell_of_attempt(detail::app_core& app, const opened_attempt& of, const attempt& one, const judged& done,
                     time_point now) {
    auto what = event_kind::task_succeeded;
    switch (done.kind) {
    case verdict::fail: what = event_kind::task_retrying; break;
    case verdict::bury: what = event_kind::task_dead; break;
    case verdict::snooze: what = event_kind::task_snoozed; break;
    case verdict::give_back: what = event_kind::task_given_back; break;
    default: break;
    }
    const bool failed = done.kind == verdict::fail || done.kind == verdict::bury;
    const bool shown = failed || done.kind == verdict::give_back;
    if (!shown && !app.events.heard()) return;
    auto said = task_event(what, one.task.id, of.body);
    said.queue = one.task.queue;
    said.attempt = of.notes.attempts + 1;
    said.max_attempts = of.terms.max_retry + 1;
    said.started_at = one.at;
    said.ended_at = now;
    said.after = done.delay;
    if (failed && !done.notes.errors.empty())
        said.text = done.notes.errors.back().type + ": " + done.notes.errors.back().message;
    if (shown) {
        announce(app, std::move(said));
    } else {
        app.events.publish(std::move(said));
    }
}

awaitable<json::object> report_attempt(exchange& work, task_id id, ticket by, spoken said) {
    const auto answered = [&]() -> std::optional<json::object> {
        const auto* before = work.answered(id, by.claim);
        if (!before) return std::nullopt;
        if (before->what == said.what) return state_of(id, before->becomes);
        throw refusal{409, "claim_lost", "another outcome was reported of this attempt, and that one counts"};
    };
    if (auto before = answered()) co_return std::move(*before);
    work.tasks().know_claim(by.claim, by.mark);
    attempt one;
    if (const auto* held = work.held(id, by)) {
        one = *held;
    } else {
        auto found = co_await look_for(work, id);
        if (!is_under(found, by)) co_return same_answer(id, by, said.what, found);
        one = attempt_in(std::move(*found), by);
    }
    const auto now = work.tasks().now();
    const auto of = open_attempt(work.app(), one.task);
    complete_wish(work.app(), of, said.wish);
    auto done = judge(of, one, said, now);
    co_await tell_handler(work, of, one, done, now);
    const auto taken = co_await work.hand_in(std::move(done.what));
    if (taken == report_verdict::accepted) {
        work.remember(id, by.claim, {.what = said.what, .becomes = done.becomes});
        tell_of_attempt(work.app(), of, one, done, now);
        co_return state_of(id, done.becomes);
    }
    // Its twin came first.
    if (auto before = answered()) co_return std::move(*before);
    const auto found = co_await look_for(work, id);
    co_return same_answer(id, by, said.what, found);
}

// ---- calls ----

task_id need_id(const call& c) {
    const auto id = parse_task_id(c.part("id"));
    if (!id) throw not_found("no task has this id: it never was, or is no longer kept");
    return *id;
}

awaitable<answer> report_task(call& c) {
    const parameters none{c.in, {}};
    const auto body = body_object(c.in);
    const members given{body, report_members};
    const auto id = need_id(c);
    auto by = read_claim(given);
    auto said = read_spoken(given, c.at.app().settings().max_payload);
    const auto work = c.at.work();
    co_await work->ready();
    co_await check_claimed(*work, c.in, id);
    const auto done = co_await report_attempt(*work, id, std::move(by), std::move(said));
    co_return json_answer(done);
}

awaitable<answer> tell_progress(call& c) {
    const parameters none{c.in, {}};
    const auto body = body_object(c.in);
    const members given{body, progress_members};
    const auto id = need_id(c);
    const auto by = read_claim(given);
    const auto done = *given.part("done");
    const auto text = given.text("text").value_or("");
    const auto work = c.at.work();
    co_await work->ready();
    co_await check_claimed(*work, c.in, id);
    co_await change_notes(*work, id, by, [done, text](task_notes& notes) {
        notes.progress = done;
        notes.progress_text = text;
    });
    co_return json_answer(json::object{{"id", to_text(id)}});
}

awaitable<answer> add_log(call& c) {
    const parameters none{c.in, {}};
    const auto body = body_object(c.in);
    const members given{body, log_members};
    const auto id = need_id(c);
    const auto by = read_claim(given);
    auto lines = given.texts("lines");
    if (lines.empty() || lines.size() > task_notes::max_log_lines)
        throw bad_request("\"lines\" is to be an array of 1 to 100 strings", given.path_of("lines"));
    const auto work = c.at.work();
    co_await work->ready();
    co_await check_claimed(*work, c.in, id);
    const auto front = instant_text(work->tasks().now()) + " info ";
    for (auto& line : lines) line = front + std::string{utf8_prefix(line, longest_line)};
    co_await change_notes(*work, id, by, [lines](task_notes& notes) {
        notes.log.insert(notes.log.end(), lines.begin(), lines.end());
        const auto over = notes.log.size() - std::min(notes.log.size(), task_notes::max_log_lines);
        notes.log.erase(notes.log.begin(), notes.log.begin() + static_cast<std::ptrdiff_t>(over));
    });
    co_return json_answer(json::object{{"id", to_text(id)}});
}

awaitable<answer> keep_stage(call& c) {
    const parameters none{c.in, {}};
    const auto body = body_object(c.in);
    const members given{body, stage_members};
    const auto id = need_id(c);
    const auto by = read_claim(given);
    check_stage_name(given);
    stage_record stage;
    stage.name = *given.text("name");
    stage.length = given.length("length_ms").value_or(duration{0});
    if (const auto* result = given.any("result")) stage.result = json::serialize(*result);
    const auto limit = c.at.app().settings().max_payload;
    check_stage_size(stage.name, stage.result.size(), 0, limit);
    const auto work = c.at.work();
    co_await work->ready();
    co_await check_claimed(*work, c.in, id);
    const auto one = co_await need_attempt(*work, id, by);
    const auto life = incarnation_of(one.task.body);
    const auto kept = co_await kept_stages(*work, id, by);
    for (const auto& before : decode_stages(kept, life)) {
        if (before.name == stage.name) co_return json_answer(json_of(before));
    }
    const auto notes = one.task.notes.empty() ? task_notes{} : decode_notes(one.task.notes);
    stage.attempt = notes.attempts + 1;
    stage.started_at = work->tasks().now() - stage.length;
    auto record = encode(stage);
    check_stage_size(stage.name, stage.result.size(), kept.size() + record.size(), limit);
    work->tasks().know_claim(by.claim, by.mark);
    const auto taken = co_await work->tasks().stage(id, by.claim, life, std::move(record));
    if (taken == report_verdict::accepted) co_return json_answer(json_of(stage));
    const auto found = co_await look_for(*work, id);
    throw claim_lost(found);
}

awaitable<answer> read_stages(call& c) {
    const parameters none{c.in, {}};
    const auto body = body_object(c.in);
    const members given{body, stages_members};
    const auto id = need_id(c);
    const auto by = read_claim(given);
    const auto work = c.at.work();
    co_await work->ready();
    co_await check_claimed(*work, c.in, id);
    const auto one = co_await need_attempt(*work, id, by);
    const auto kept = co_await kept_stages(*work, id, by);
    json::array all;
    for (const auto& stage : decode_stages(kept, incarnation_of(one.task.body)))
        all.emplace_back(json_of(stage));
    co_return json_answer(json::object{{"stages", std::move(all)}});
}

}  // namespace errand::web
