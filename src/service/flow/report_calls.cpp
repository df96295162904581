// Reporting tasks that are held, one or many, and keeping them.
#include <errand/error.hpp>

#include "service/attempt_calls.hpp"
#include "service/calls.hpp"
#include "service/dead_call.hpp"
#include "service/dispatch.hpp"
#include "service/flow/calls.hpp"
#include "service/flow/holding.hpp"
#include "service/flow/refusals.hpp"
#include "service/flow/report.hpp"
#include "service/instant.hpp"
#include "service/items.hpp"
#include "service/refusal.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <set>

namespace errand::flow {

namespace json = boost::json;
using web::field;
using web::kind;

namespace {

constexpr std::array reports_members{
    field{"reports", kind::objects,
          "1 to 1000 reports, each as `POST …/tasks/{type}/{id}:report` takes it, with its `type` and `id`",
          true},
    field{"hold", kind::object, "Then holds tasks, as `POST /flow/v1/{namespace}/hold` does"},
};
constexpr std::array leases_members{
    field{"leases", kind::objects, "1 to 1000 tasks: `{\"type\", \"id\", \"claim\"}`", true},
    field{"lease_ms", kind::integer, "1000 to 86400000, from now on (as each type says)"},
    field{
        "wait_ms", kind::integer,
        "0 to 60000: the answer waits so long for one of them that is cancelled, lost or reported, and keeps all of them meanwhile (0)"},
};
constexpr std::array lease_members{
    field{"type", kind::text, "The type", true},
    field{"id", kind::text, "The task's id", true},
    field{"claim", kind::text, "The text that came with it", true},
};

constexpr field type_member{"type", kind::text, "The type", true};
constexpr field id_member{"id", kind::text, "The task's id", true};

// Of one of many reports.
const std::vector<field>& named_report_members() {
    static const std::vector<field> all = [] {
        std::vector<field> members{type_member, id_member};
        members.insert(members.end(), report_fields.begin(), report_fields.end());
        return members;
    }();
    return all;
}

// Of which task something is said.
struct named_task {
    flow_type type;
    std::string id;
};

// Where it is: as this service has it, or else as the store has it.
struct located {
    task_id id{};
    std::optional<web::attempt> held{};  // under the claim
    std::optional<seen_task> found{};    // when it is not
};

bool is_under(const found_task& found, const flow_claim& claim) {
    return found.where == state::working && found.claim == claim.by.claim &&
           incarnation_of(found.body) == claim.life;
}

web::attempt attempt_of(found_task found, const flow_claim& claim) {
    web::attempt one;
    one.task.id = found.id;
    one.task.claim = claim.by.claim;
    one.task.queue = decode_body(found.body).queue;
    one.task.body = std::move(found.body);
    one.task.notes = std::move(found.notes);
    one.at = claim.by.at;
    one.worker = claim.by.worker;
    return one;
}

const web::attempt* held_here(web::exchange& work, const task_id& id, const flow_claim& claim) {
    const auto* held = work.held(id, claim.by);
    const bool its = held && part_of(id) == claim.task && incarnation_of(held->task.body) == claim.life;
    return its ? held : nullptr;
}

awaitable<located> locate(web::exchange& work, office at, named_task which, flow_claim claim) {
    located there;
    const auto derived = derived_id(at.core, which.type.name, which.id);
    const auto made_here = parse_task_id(which.id);
    for (const auto& id : {derived, made_here.value_or(derived)}) {
        const auto* held = held_here(work, id, claim);
        if (!held || !at.may_use(held->task.queue)) continue;
        there.id = id;
        there.held = *held;
        co_return there;
    }
    work.tasks().know_claim(claim.by.claim, claim.by.mark);
    auto found = co_await find_task(at, which.type.name, which.id);
    if (!found)
        throw web::refusal{409, "claim_lost", "the task is not there any more, so this claim is over"};
    if (part_of(found->task.id) != claim.task) throw web::claim_lost(found->task);
    there.id = found->task.id;
    if (is_under(found->task, claim)) {
        there.held = attempt_of(std::move(found->task), claim);
    } else {
        there.found = std::move(found);
    }
    co_return there;
}

// What was reported under this claim before is answered again. Throws refusal (409) when nothing was, or something else.
json::object same_answer(const seen_task& found, const said& what) {
    const bool same_life = found.body.life == what.claim.life;
    if (const auto* run = same_life ? run_of(found.notes, what.claim.by) : nullptr) {
        if (run->outcome == what.outcome) return answer_to(*run);
        throw web::refusal{409, "claim_lost",
                           "another outcome was reported of this attempt, and that one counts"};
    }
    if (!same_life || found.task.where != state::cancelled) throw web::claim_lost(found.task);
    // Nothing of what it says counts, and its worker is told why.
    return {{"status", status_of(found.task.where)},
            {"state", to_string(found.task.where)},
            {"stage", stage_of(found.body, found.notes)},
            {"due_at", nullptr},
            {"version", version_of(found)},
            {"cancel", true}};
}

awaitable<json::object> report_one(std::shared_ptr<web::exchange> work, office at, named_task which,
                                   said what, std::string path) {
    auto there = co_await locate(*work, at, which, what.claim);
    if (!there.held) co_return same_answer(*there.found, what);
    const auto& one = *there.held;
    const auto now = work->tasks().now();
    const auto of = web::open_attempt(at.core, one.task);
    auto done = judge(at.core, which.type, of, one, what, now, path);
    co_await web::tell_handler(*work, of, one, done, now);
    work->tasks().know_claim(what.claim.by.claim, what.claim.by.mark);
    const auto taken = co_await work->hand_in(std::move(done.what));
    if (taken == report_verdict::accepted) {
        web::tell_of_attempt(at.core, of, one, done, now);
        co_return answer_to(done.notes.flow->runs.back());
    }
    // Its twin came first, or the claim is over.
    const auto found = co_await find_task(at, which.type.name, which.id);
    if (!found)
        throw web::refusal{409, "claim_lost", "the task is not there any more, so this claim is over"};
    co_return same_answer(*found, what);
}

named_task read_named(office at, const web::members& given) {
    const auto type = *given.text("type");
    check_name(type, "type", given.path_of("type"));
    check_type(at, type);
    named_task which{.type = need_type(at.core, type), .id = *given.text("id")};
    check_id(which.id, given.path_of("id"));
    return which;
}

awaitable<json::object> report_item(std::shared_ptr<web::exchange> work, office at, const json::value& item,
                                    std::string path) {
    const web::members given{web::need_object(item, path), named_report_members(), path};
    auto which = read_named(at, given);
    auto what = read_said(given, at.core.settings.max_payload);
    auto done = co_await report_one(work, at, std::move(which), std::move(what), path);
    co_return done;
}

// ---- keeping ----

struct lease_item {
    std::size_t place = 0;
    named_task which;
    flow_claim claim;
    task_id id{};
};

json::object cancelled_lease(time_point now) {
    return {{"cancel", true}, {"lease_until", instant_text(now)}};
}

enum class touch : unsigned char { extend, look };

// Those of one lease, in one call. Writes their answers; who only looks leaves leases, and what is said of kept ones, as they are.
awaitable<void> extend_some(web::exchange& work, office at, duration lease, std::vector<lease_item>& all,
                            json::array& results, touch how) {
    const bool extends = how == touch::extend;
    extend_call call;
    call.lease = extends ? lease : duration{1};
    call.never_shorter = !extends;
    std::set<claim_number> claims;
    for (const auto& one : all) {
        work.tasks().know_claim(one.claim.by.claim, one.claim.by.mark);
        claims.insert(one.claim.by.claim);
        call.tasks.emplace_back(one.id, one.claim.by.claim);
    }
    call.claims.assign(claims.begin(), claims.end());
    // Not later than the store has it.
    const auto until = work.tasks().now() + lease;
    const auto heard = co_await work.extend(std::move(call));
    for (const auto& one : all) {
        const auto is_task = [&](const auto& task) { return task == std::pair{one.id, one.claim.by.claim}; };
        const bool lost =
            std::ranges::find(heard.lost_claims, one.claim.by.claim) != heard.lost_claims.end() ||
            std::ranges::any_of(heard.lost_tasks, is_task);
        const auto path = "leases[" + std::to_string(one.place) + ']';
        auto& answer = results[one.place];
        if (std::ranges::any_of(heard.unheard, is_task)) {
            // That it is late says nothing of the lease, which ends by itself if need be.
            if (!extends) continue;
            const auto why = std::make_exception_ptr(store_error{"a part of the store does not answer"});
            answer = json::object{{"error", error_of(why, path)}};
        } else if (!lost) {
            if (extends) answer = json::object{{"lease_until", instant_text(until)}};
        } else {
            const auto found = co_await find_task(at, one.which.type.name, one.which.id);
            const bool cancelled =
                found && found->task.where == state::cancelled && found->body.life == one.claim.life;
            if (cancelled) {
                answer = cancelled_lease(work.tasks().now());
            } else {
                answer = json::object{
                    {"error",
                     web::json_of(web::claim_lost(found ? std::optional{found->task} : std::nullopt))}};
            }
        }
    }
}

// Which of the two ids that a caller's text may mean is the task's. Throws refusal (409).
awaitable<void> find_place(web::exchange& work, office at, lease_item& one) {
    const auto there = co_await locate(work, at, one.which, one.claim);
    one.id = there.id;
}

using leases_by_length = std::map<duration, std::vector<lease_item>>;

bool is_kept(const json::value& result) {
    const auto& one = result.as_object();
    return !one.contains("cancel") && !one.contains("error");
}

// As long as all are kept: each lease is written again when a third of it is over. A cancellation of what was claimed here is
// heard of; whatever else happens to them, here or at another service, is looked for every second.
awaitable<void> keep_on(web::call& c, std::shared_ptr<web::exchange> work, office at, duration longest,
                        leases_by_length& all, json::array& results) {
    using steady = std::chrono::steady_clock;
    constexpr duration between_looks{1000};
    const auto end = steady::now() + longest;
    std::map<duration, steady::time_point> written;
    std::vector<task_id> ids;
    for (const auto& [lease, some] : all) {
        written[lease] = steady::now();
        for (const auto& one : some) ids.push_back(one.id);
    }
    web::exchange::cancel_watch watch{work, std::move(ids)};
    // What was cancelled while they were extended for the first time was not heard of.
    duration pause{0};
    while (std::ranges::all_of(results, is_kept) && !c.at.stopping()) {
        co_await c.at.wait(watch.next(pause));
        auto now = steady::now();
        for (auto& [lease, some] : all) {
            const bool due = now - written[lease] >= lease / 3;
            if (due) written[lease] = now;
            co_await extend_some(*work, at, lease, some, results, due ? touch::extend : touch::look);
        }
        now = steady::now();
        if (now >= end) co_return;
        pause = std::min(between_looks, std::chrono::ceil<duration>(end - now));
        for (const auto& [lease, at_time] : written)
            pause = std::min(pause,
                             std::max(duration{0}, std::chrono::ceil<duration>(at_time + lease / 3 - now)));
    }
}

}  // namespace

const web::fields reports_fields{reports_members};
const web::fields leases_fields{leases_members};

awaitable<web::answer> report_flow_task(web::call& c) {
    const web::parameters none{c.in, {}};
    const auto body = web::body_object(c.in);
    const web::members given{body, report_fields};
    const auto at = office_of(c);
    co_await at.home.ready();
    check_type(at, c.part("type"));
    named_task which{.type = need_type(at.core, c.part("type")), .id = c.part("id")};
    check_id(which.id, "id");
    auto what = read_said(given, at.core.settings.max_payload);
    const auto work = c.at.work();
    co_await work->ready();
    const auto done = co_await report_one(work, at, std::move(which), std::move(what), {});
    co_return web::json_answer(done);
}

awaitable<web::answer> report_many(web::call& c) {
    const web::parameters none{c.in, {}};
    const auto body = web::body_object(c.in);
    const web::members given{body, reports_members};
    const auto& items = web::need_items(given, "reports");
    const auto at = office_of(c);
    co_await at.home.ready();
    std::optional<hold_asked> asked;
    if (const auto* hold = given.object("hold")) asked = co_await read_hold(at, *hold, "hold", c.in.who);
    const auto work = c.at.work();
    co_await work->ready();
    auto results = co_await web::each_item(
        items, "reports",
        [work, at](const json::value& item, std::string path) {
            return report_item(work, at, item, std::move(path));
        },
        error_of);
    json::object document{{"results", std::move(results)}};
    if (!asked) co_return web::json_answer(document);
    document["config"] = config_of(*asked);
    // What was reported is answered, whatever becomes of this.
    held_tasks got{work};
    std::exception_ptr failed;
    try {
        auto tasks = co_await got.take(c, at, std::move(*asked));
        document["tasks"] = std::move(tasks);
    } catch (const web::client_gone&) {
        throw;
    } catch (...) {
        failed = std::current_exception();
    }
    if (failed) {
        document["tasks"] = json::array{};
        document["hold_error"] = error_of(failed, "hold");
    }
    auto out = web::json_answer(document);
    if (!failed) got.travel_with(out);
    co_return out;
}

awaitable<web::answer> extend_leases(web::call& c) {
    const web::parameters none{c.in, {}};
    const auto body = web::body_object(c.in);
    const web::members given{body, leases_members};
    const auto& items = web::need_items(given, "leases");
    const auto asked = given.integer("lease_ms", shortest_lease, longest_lease);
    const duration wait{given.integer("wait_ms", 0, longest_wait).value_or(0)};
    const auto at = office_of(c);
    co_await at.home.ready();
    const auto work = c.at.work();
    co_await work->ready();
    json::array results(items.size());
    leases_by_length by_lease;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const auto path = "leases[" + std::to_string(i) + ']';
        std::exception_ptr failed;
        try {
            const web::members one{web::need_object(items[i], path), lease_members, path};
            lease_item item{.place = i, .which = read_named(at, one), .claim = claim_in(one)};
            co_await find_place(*work, at, item);
            const auto lease = asked ? duration{*asked} : item.which.type.rules.lease;
            by_lease[lease].push_back(std::move(item));
        } catch (...) {
            failed = std::current_exception();
        }
        if (failed) results[i] = json::object{{"error", error_of(failed, path)}};
    }
    for (auto& [lease, some] : by_lease) co_await extend_some(*work, at, lease, some, results, touch::extend);
    if (wait > duration{0}) co_await keep_on(c, work, at, wait, by_lease, results);
    co_return web::json_answer(json::object{{"results", std::move(results)}});
}

}  // namespace errand::flow
