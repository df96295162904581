#include "service/flow/report.hpp"

#include <errand/detail/json_read.hpp>
#include <errand/error.hpp>

#include "core/settings_text.hpp"
#include "core/utf8.hpp"
#include "service/flow/calls.hpp"
#include "service/instant.hpp"
#include "service/refusal.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>

namespace errand::flow {

namespace json = boost::json;
using web::field;
using web::kind;

namespace {

constexpr std::size_t most_of_error = 1024;
constexpr std::size_t longest_trace = 255;
constexpr std::int64_t longest_delay_asked = std::int64_t{365} * 86'400'000;

constexpr std::array report_members{
    field{"claim", kind::text, "The text that came with the task", true},
    field{
        "outcome", kind::text,
        "`next` (the stage is done: on with `stage`), `again` (the same stage later: no retry used), `done` (success), `failed` "
        "(a retry follows, or it has failed for good), `dead` (for good at once), `give_back` (to the head, no attempt used)",
        true},
    field{"stage", kind::text, "Of `next`, where it is needed: the stage that follows"},
    field{"content", kind::any, "Takes the place of the content, in the same step"},
    field{"merge", kind::any,
          "Changes parts of the content (RFC 7396), in the same step. Not together with `content`"},
    field{"result", kind::any, "Of `done`"},
    field{"error", kind::text, "Of `failed` and `dead`: what went wrong. The log keeps 1 KiB of it"},
    field{
        "in_ms", kind::integer,
        "Of `next`, `again` and `failed`: due so long from now (at once; the interval of the type; its backoff)"},
    field{"trace", kind::text, "Stands in the log"},
    field{"cost_ms", kind::integer, "What the log says that the attempt took (since its hold)"},
};

constexpr std::array<std::string_view, 6> outcome_names{"next",   "again", "done",
                                                        "failed", "dead",  "give_back"};

void refuse_unless_of(const web::members& given, std::string_view name, const std::string& of) {
    if (given.has(name))
        throw web::bad_request("\"" + std::string{name} + "\" is said of " + of, given.path_of(name));
}

std::string cut_error(std::string_view text) {
    if (text.size() <= most_of_error) return std::string{text};
    constexpr std::string_view more = "\u2026";
    return std::string{utf8_prefix(text, most_of_error - more.size())} + std::string{more};
}

// RFC 7396.
void merge_into(json::value& target, const json::value& patch) {
    const auto* changes = patch.if_object();
    if (!changes) {
        target = patch;
        return;
    }
    if (!target.is_object()) target = json::object{};
    auto& object = target.get_object();
    for (const auto& change : *changes) {
        if (change.value().is_null()) {
            object.erase(change.key());
        } else {
            merge_into(object[change.key()], change.value());
        }
    }
}

std::optional<std::string> new_content(const web::opened_attempt& of, const said& what) {
    if (what.content) return what.content;
    if (!what.merge) return std::nullopt;
    auto content = detail::parse_json(content_of(of.body, of.notes), "content");
    merge_into(content, *what.merge);
    return json::serialize(content);
}

duration backoff_of(const web::opened_attempt& of) {
    const auto own = header_of(of.body, backoff_header);
    const auto rule = own.empty() ? std::nullopt : find_backoff(own);
    if (rule) return (*rule)(of.notes.attempts, nullptr);
    return of.terms.backoff ? (*of.terms.backoff)(of.notes.attempts, nullptr)
                            : backoff::polynomial()(of.notes.attempts, nullptr);
}

// The same in the words of all attempts. `delay`: until the next one.
web::spoken spoken_of(const said& what, std::optional<duration> delay) {
    web::spoken spoken;
    spoken.delay = delay;
    spoken.type = "failed";
    spoken.message = what.error.empty() ? "failed" : what.error;
    spoken.result = what.result;
    switch (what.outcome) {
    case flow_outcome::next:
    case flow_outcome::again: spoken.what = web::outcome_kind::snooze; break;
    case flow_outcome::done: spoken.what = web::outcome_kind::success; break;
    case flow_outcome::failed: spoken.what = web::outcome_kind::failure; break;
    case flow_outcome::dead: spoken.what = web::outcome_kind::discard; break;
    case flow_outcome::give_back: spoken.what = web::outcome_kind::give_back; break;
    }
    return spoken;
}

std::optional<duration> delay_of(const flow_type& type, const web::opened_attempt& of, const said& what) {
    switch (what.outcome) {
    case flow_outcome::next: return what.in.value_or(duration{0});
    case flow_outcome::again: return what.in.value_or(type.rules.interval);
    case flow_outcome::failed: return what.in.value_or(backoff_of(of));
    default: return std::nullopt;
    }
}

bool is_last(const web::opened_attempt& of, const said& what) {
    const auto own = of.notes.flow && of.notes.flow->max_retry;
    const auto most = own ? *of.notes.flow->max_retry : of.terms.max_retry;
    return what.outcome == flow_outcome::failed && of.notes.attempts >= most;
}

std::string status_after(const flow_run& run) {
    if (run.outcome == flow_outcome::done) return "success";
    const bool over =
        run.outcome == flow_outcome::dead || (run.outcome == flow_outcome::failed && !run.due_at);
    return over ? "failed" : "pending";
}

std::string_view state_after(const flow_run& run) {
    switch (run.outcome) {
    case flow_outcome::done: return "success";
    case flow_outcome::dead: return "dead";
    case flow_outcome::failed: return run.due_at ? "retry" : "dead";
    case flow_outcome::give_back: return "ready";
    case flow_outcome::next:
    case flow_outcome::again: break;
    }
    return "delayed";
}

}  // namespace

const web::fields report_fields{report_members};

flow_claim claim_in(const web::members& given) {
    auto read = read_claim_text(*given.text("claim"));
    if (read) return std::move(*read);
    throw web::bad_request("\"claim\" is to be the text that came with the task", given.path_of("claim"));
}

said read_said(const web::members& given, std::size_t max_result) {
    said what;
    what.claim = claim_in(given);
    const auto which = web::choice_of(*given.text("outcome"), outcome_names, given.path_of("outcome"));
    what.outcome = static_cast<flow_outcome>(which);
    const bool ends = what.outcome == flow_outcome::done || what.outcome == flow_outcome::dead;
    const bool fails = what.outcome == flow_outcome::failed || what.outcome == flow_outcome::dead;
    if (what.outcome != flow_outcome::done) refuse_unless_of(given, "result", "done");
    if (!fails) refuse_unless_of(given, "error", "failed and dead");
    if (ends || what.outcome == flow_outcome::give_back)
        refuse_unless_of(given, "in_ms", "next, again and failed");
    what.stage = given.text("stage");
    if (what.stage) check_name(*what.stage, "stage", given.path_of("stage"));
    if (what.outcome == flow_outcome::next && !what.stage)
        throw web::bad_request("\"next\" needs the \"stage\" that follows", given.path_of("stage"));
    if (const auto* content = given.any("content")) what.content = json::serialize(*content);
    if (const auto* merge = given.any("merge")) what.merge = *merge;
    if (what.content && what.merge)
        throw web::bad_request("give one of \"content\" and \"merge\"", given.path_of("merge"));
    if (const auto* result = given.any("result")) what.result = json::serialize(*result);
    if (what.result.size() > max_result)
        throw web::refusal{413, "too_large",
                           "the result has " + std::to_string(what.result.size()) +
                               " bytes as JSON, and the limit is " + std::to_string(max_result) +
                               ": report a reference to the data instead",
                           given.path_of("result")};
    what.error = given.text("error").value_or("");
    if (const auto in = given.integer("in_ms", 0, longest_delay_asked)) what.in = duration{*in};
    what.trace = utf8_prefix(given.text("trace").value_or(""), longest_trace);
    what.cost = given.length("cost_ms");
    return what;
}

web::judged judge(const detail::app_core& app, const flow_type& type, web::opened_attempt of,
                  const web::attempt& one, const said& what, time_point now, const std::string& path) {
    const auto member = [&](std::string_view name) {
        return path.empty() ? std::string{name} : path + '.' + std::string{name};
    };
    const auto stage = stage_of(of.body, of.notes);
    const auto next = what.outcome == flow_outcome::next ? *what.stage : stage;
    if (what.stage && what.outcome == flow_outcome::next) check_stage(type, next, member("stage"), true);
    if (what.stage && what.outcome != flow_outcome::next && *what.stage != stage)
        throw web::bad_request("the task is at the stage " + stage + ", and only \"next\" changes that",
                               member("stage"));
    auto content = new_content(of, what);
    if (content) check_content(app, type, *content, member(what.content ? "content" : "merge"));
    const bool last = is_last(of, what);
    const auto delay = delay_of(type, of, what);
    auto& notes = of.notes;
    if (!notes.flow) {
        notes.flow.emplace();
        notes.flow->deliveries = notes.attempts;
    }
    auto& flow = *notes.flow;
    flow_run run;
    run.claim = one.task.claim;
    run.outcome = what.outcome;
    run.started_at = one.at;
    run.at = now;
    run.stage = stage;
    run.attempt = flow.deliveries + 1;
    run.cost = what.cost.value_or(std::max(now - one.at, duration{0}));
    run.worker = one.worker;
    run.trace = what.trace;
    run.error = cut_error(what.error);
    run.next_stage = next;
    if (delay && !last) run.due_at = now + *delay;
    if (what.outcome == flow_outcome::give_back) run.due_at = now;
    if (content) flow.content = std::move(content);
    if (what.outcome == flow_outcome::next || what.outcome == flow_outcome::done)
        flow.finished.push_back(
            {.name = stage, .attempt = run.attempt, .started_at = one.at, .length = run.cost});
    if (what.outcome == flow_outcome::next) {
        if (next != stage) ++flow.number;
        flow.stage = next;
        if (type.rules.retries_per_stage) notes.attempts = 0;
    }
    if (what.outcome != flow_outcome::give_back) notes.lost_leases = 0;
    // As it will be shown: the rules of attempts count this change.
    auto after = notes.flow;
    count_change(*after);
    run.version = flow_version(after, false, false);
    flow.runs.push_back(std::move(run));
    if (flow.runs.size() > type.rules.log_runs) {
        const auto over = flow.runs.size() - type.rules.log_runs;
        flow.runs.erase(flow.runs.begin(), flow.runs.begin() + static_cast<std::ptrdiff_t>(over));
    }
    return web::judge(of, one, spoken_of(what, delay), now);
}

json::object answer_to(const flow_run& run) {
    return {{"status", status_after(run)},
            {"state", state_after(run)},
            {"stage", run.next_stage},
            {"due_at", run.due_at ? json::value{instant_text(*run.due_at)} : json::value{}},
            {"version", run.version}};
}

const flow_run* run_of(const task_notes& notes, const web::ticket& by) {
    if (!notes.flow) return nullptr;
    const auto at = std::ranges::find_if(notes.flow->runs, [&](const flow_run& run) {
        return run.claim == by.claim && run.started_at == by.at && run.worker == by.worker;
    });
    return at == notes.flow->runs.end() ? nullptr : &*at;
}

}  // namespace errand::flow
