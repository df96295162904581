#include "service/flow/holding.hpp"

#include <errand/error.hpp>

#include "service/flow/calls.hpp"
#include "service/flow/claim_text.hpp"
#include "service/instant.hpp"
#include "service/items.hpp"
#include "service/refusal.hpp"
#include "service/values.hpp"

#include <algorithm>
#include <array>

namespace errand::flow {

namespace json = boost::json;
using web::field;
using web::kind;

namespace {

constexpr std::int64_t most_held = 1000;
constexpr std::size_t most_types = 100;
constexpr std::size_t most_stages_named = 100;
constexpr std::chrono::milliseconds while_paused{250};

constexpr field limit_member{"limit", kind::integer,
                             "So many tasks at most, 1 to 1000 (as the type says: `batch`)"};
constexpr field lease_member{"lease_ms", kind::integer, "1000 to 86400000 (as the type says)"};
constexpr field wait_member{"wait_ms", kind::integer,
                            "0 to 60000: while there is none the answer waits so long for the first one (0)"};
constexpr field worker_member{"worker", kind::text,
                              "Who asks, 1 to 100 of `A-Z a-z 0-9 - _ .`: logs name it (`worker`)"};
constexpr field fields_member{
    "fields", kind::texts, "Names of members: of each task only these are shown, and its id, type and claim"};
constexpr field stages_member{
    "stages", kind::texts,
    "1 to 100 stages: only tasks that are at one of these. What is found at others goes to who waits for that here, or is due again 200 ms later"};

constexpr std::array hold_type_members{limit_member,  lease_member,  wait_member,
                                       worker_member, stages_member, fields_member};
constexpr std::array hold_members{
    field{
        "types", kind::objects,
        "1 to 100 types: `{\"type\", \"limit\", \"weight\"}`. The larger its weight of 1 to 1000, the more often a type is looked at first (1)",
        true},
    limit_member,
    lease_member,
    wait_member,
    worker_member,
    stages_member,
    fields_member};
constexpr std::array type_members{
    field{"type", kind::text, "The type", true},
    field{"limit", kind::integer, "So many of it at most, 1 to 1000 (as the type says)"},
    field{"weight", kind::integer, "1 to 1000 (1)"},
};

// What holds of one type and of several say alike.
void read_terms(const web::members& given, const std::string& who, hold_asked& into) {
    if (const auto lease = given.integer("lease_ms", shortest_lease, longest_lease))
        into.lease = duration{*lease};
    into.wait = duration{given.integer("wait_ms", 0, longest_wait).value_or(0)};
    into.worker = given.text("worker").value_or(who.empty() ? "worker" : who);
    check_name(into.worker, "worker", given.path_of("worker"));
    if (into.worker.size() > web::longest_worker_name)
        throw web::bad_request("the name of a worker has 100 bytes at most", given.path_of("worker"));
    into.stages = given.texts("stages");
    for (const auto& one : into.stages) check_name(one, "stage", given.path_of("stages"));
    if (given.has("stages") && (into.stages.empty() || into.stages.size() > most_stages_named))
        throw web::bad_request("\"stages\" is to have 1 to 100 names of stages", given.path_of("stages"));
    into.shown = read_shown(given.texts("fields"), given.path_of("fields"));
    if (!into.shown.empty()) into.shown.insert({"id", "type"});
}

web::claim_wish wish_of(const hold_asked& asked, const std::vector<const hold_asked::of_type*>& of,
                        std::size_t limit) {
    web::claim_wish wish;
    wish.worker = asked.worker;
    wish.limit = limit;
    wish.handlers.emplace();
    wish.lease = asked.lease.value_or(duration::max());
    for (const auto* one : of) {
        wish.queues.emplace(one->type.name, one->weight);
        wish.handlers->push_back(one->type.name);
        if (!asked.lease) wish.lease = std::min(wish.lease, one->type.rules.lease);
    }
    std::ranges::sort(*wish.handlers);
    if (!asked.stages.empty()) {
        wish.takes = [stages = asked.stages](const web::opened_attempt& task) {
            return std::ranges::find(stages, stage_of(task.body, task.notes)) != stages.end();
        };
    }
    return wish;
}

// Those of which something may be held now.
std::vector<const hold_asked::of_type*> open_ones(const detail::app_core& app, const hold_asked& asked) {
    std::vector<const hold_asked::of_type*> open;
    for (const auto& one : asked.types) {
        if (!app.overrides.is_paused(one.type.name)) open.push_back(&one);
    }
    return open;
}

json::object shown_held(const detail::app_core& app, const web::attempt& one, std::string_view mark,
                        const shown_fields& shown) {
    found_task task;
    task.id = one.task.id;
    task.where = state::working;
    task.body = one.task.body;
    task.notes = one.task.notes;
    task.claim = one.task.claim;
    task.claimed_at = task.now = one.at;
    const auto of = *seen(std::move(task));
    auto text = json_of(app, of, &one, shown);
    const flow_claim claim{
        .life = of.body.life,
        .task = part_of(one.task.id),
        .by = {.claim = one.task.claim, .mark = std::string{mark}, .at = one.at, .worker = one.worker}};
    text["claim"] = text_of(claim);
    text["lease_until"] = instant_text(one.lease_until);
    return text;
}

}  // namespace

const web::fields hold_type_fields{hold_type_members};
const web::fields hold_fields{hold_members};

hold_asked read_hold_of(const flow_type& type, const json::object& from, const std::string& who) {
    const web::members given{from, hold_type_members};
    hold_asked asked;
    read_terms(given, who, asked);
    asked.limit = static_cast<std::size_t>(given.integer("limit", 1, most_held).value_or(type.rules.batch));
    asked.types.push_back({.type = type, .limit = asked.limit, .weight = 1});
    return asked;
}

awaitable<hold_asked> read_hold(office at, const json::object& from, std::string path, std::string who) {
    const web::members given{from, hold_members, path};
    hold_asked asked;
    read_terms(given, who, asked);
    const auto& types = *given.array("types");
    if (types.empty() || types.size() > most_types)
        throw web::bad_request("\"types\" is to be an array of 1 to 100 objects", given.path_of("types"));
    std::size_t all = 0;
    for (std::size_t i = 0; i < types.size(); ++i) {
        const auto where = given.path_of("types") + '[' + std::to_string(i) + ']';
        const web::members of{web::need_object(types[i], where), type_members, where};
        const auto name = *of.text("type");
        const bool twice =
            std::ranges::any_of(asked.types, [&](const auto& one) { return one.type.name == name; });
        if (twice) throw web::bad_request("the type is named twice", of.path_of("type"));
        hold_asked::of_type one;
        one.type = co_await type_of(at, name, of.path_of("type"));
        one.limit =
            static_cast<std::size_t>(of.integer("limit", 1, most_held).value_or(one.type.rules.batch));
        one.weight = static_cast<int>(of.integer("weight", 1, 1000).value_or(1));
        all += one.limit;
        asked.types.push_back(std::move(one));
    }
    const auto most = std::min(all, static_cast<std::size_t>(most_held));
    asked.limit = static_cast<std::size_t>(
        given.integer("limit", 1, most_held).value_or(static_cast<std::int64_t>(most)));
    co_return asked;
}

held_tasks::~held_tasks() {
    if (order_) from_->leave(order_);
    from_->give_back(all_);
}

void held_tasks::travel_with(web::answer& what) {
    what.unsent = [from = from_, given = std::exchange(all_, {})] { from->give_back(given); };
}

awaitable<void> held_tasks::take_now(web::claim_wish wish, duration wait, web::call& c) {
    order_ = from_->order(std::move(wish));
    co_await from_->looked_for(order_);
    const bool empty = order_->got.empty() && !order_->failure;
    if (empty && wait > duration{0}) co_await c.at.wait(from_->wait_for(order_, wait));
    auto got = co_await from_->take(order_);
    order_.reset();
    std::ranges::move(got, std::back_inserter(all_));
}

awaitable<json::array> held_tasks::take(web::call& c, office at, hold_asked asked) {
    using steady = std::chrono::steady_clock;
    const auto end = steady::now() + asked.wait;
    const auto left = [&] { return std::chrono::duration_cast<duration>(end - steady::now()); };
    for (;;) {
        const auto open = open_ones(at.core, asked);
        if (open.size() == 1) {
            co_await take_now(wish_of(asked, open, std::min(asked.limit, open.front()->limit)),
                              std::max(left(), duration{0}), c);
        } else if (!open.empty()) {
            // Each type by itself, since each has its limit; and then the first of any.
            auto by_weight = open;
            std::ranges::stable_sort(by_weight, std::greater{}, [](const auto* one) { return one->weight; });
            for (const auto* one : by_weight) {
                const auto room = asked.limit - all_.size();
                if (room == 0) break;
                co_await take_now(wish_of(asked, {one}, std::min(room, one->limit)), duration{0}, c);
            }
            if (all_.empty() && left() > duration{0}) co_await take_now(wish_of(asked, open, 1), left(), c);
        }
        if (!all_.empty() || left() <= duration{0} || c.at.stopping()) break;
        if (!open.empty()) continue;
        // They are paused.
        co_await c.at.wait(pause_for(std::min(left(), duration{while_paused})));
    }
    json::array tasks;
    for (const auto& one : all_)
        tasks.emplace_back(shown_held(at.core, one, from_->tasks().claim_mark(), asked.shown));
    co_return tasks;
}

json::object config_of(const hold_asked& asked) {
    const auto one_of = [](const flow_type& of) {
        return json::object{{"batch", of.rules.batch},
                            {"interval_ms", of.rules.interval.count()},
                            {"lease_ms", of.rules.lease.count()},
                            {"version", of.rules.version}};
    };
    if (asked.types.size() == 1) return one_of(asked.types.front().type);
    json::object all;
    for (const auto& one : asked.types) all[one.type.name] = one_of(one.type);
    return all;
}

}  // namespace errand::flow
