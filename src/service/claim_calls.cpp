// Taking tasks.
#include "service/claim_calls.hpp"

#include <errand/detail/engine.hpp>
#include <errand/detail/json_read.hpp>
#include <errand/error.hpp>

#include "core/policy_rules.hpp"
#include "runtime/task_event.hpp"
#include "service/calls.hpp"
#include "service/checks.hpp"
#include "service/info_json.hpp"
#include "service/instant.hpp"
#include "service/queue_bounds.hpp"
#include "service/refusal.hpp"
#include "worker/announce.hpp"

#include <boost/json/monotonic_resource.hpp>

#include <algorithm>
#include <array>

namespace errand::web {

namespace json = boost::json;

namespace {

constexpr std::int64_t most_claimed = 1000;
constexpr std::size_t most_queues = 100;
constexpr std::size_t most_handlers = 1000;
constexpr int heaviest = 1000;
constexpr std::int64_t longest_claim_wait = 60'000;
constexpr std::int64_t shortest_lease = 1000;
constexpr std::int64_t longest_lease = 86'400'000;

constexpr std::array claim_members{
    field{"worker", kind::text, "The name of who asks, 1 to 100 bytes: what it runs is shown under it", true},
    field{
        "queues", kind::weights,
        "1 to 100 queues, each with its weight of 1 to 1000: the larger it is, the more often its queue is looked at "
        "first",
        true},
    field{
        "handlers", kind::texts,
        "1 to 1000 wire names: the handlers that it knows. What is of others stands aside for who knows them. Without: "
        "whatever there is"},
    field{"limit", kind::integer, "So many tasks at most, 1 to 1000 (1)"},
    lease_member,
    field{"wait_ms", kind::integer,
          "0 to 60000: while there is no task the answer waits so long for the first one (0)"},
};

void check_names(const std::vector<std::string>& names, std::size_t most, const std::string& what,
                 const std::string& path) {
    const bool fit = std::ranges::all_of(names, [](const std::string& one) {
        return !one.empty() && one.size() <= max_name_length;
    });
    if (fit && !names.empty() && names.size() <= most) return;
    throw bad_request("\"" + path + "\" is to have 1 to " + std::to_string(most) + ' ' + what +
                          ", of 1 to 255 bytes each",
                      path);
}

// Of which schedule it is a run.
json::value json_of_origin(const std::optional<run_origin>& origin) {
    if (!origin) return nullptr;
    return json::object{{"id", to_text(origin->schedule)},
                        {"key", origin->key},
                        {"tick", instant_text(origin->tick)},
                        {"missed", origin->missed},
                        {"runs", origin->number}};
}

json::object json_of_claimed(const opened_attempt& of, const attempt& one, time_point lease_until,
                             json::value args, std::string_view mark) {
    const auto memory = args.storage();
    json::object headers(memory);
    for (const auto& [name, text] : of.body.headers) headers[name] = text;
    json::array tags(of.body.tags.begin(), of.body.tags.end(), memory);
    const ticket by{.claim = one.task.claim, .mark = std::string{mark}, .at = one.at, .worker = one.worker};
    json::value last_error;
    if (!of.notes.errors.empty()) {
        const auto& last = of.notes.errors.back();
        last_error = json::object{{"type", last.type}, {"message", last.message}};
    }
    return json::object({{"id", to_text(one.task.id)},
                         {"claim", ticket_text(by)},
                         {"handler", of.body.handler},
                         {"queue", one.task.queue},
                         {"attempt", of.notes.attempts + 1},
                         {"max_retry", of.terms.max_retry},
                         {"priority", shown_priority(of.body.priority)},
                         {"biz_id", of.body.biz_id ? json::value{*of.body.biz_id} : json::value{}},
                         {"submitted_at", instant_text(of.body.submitted_at())},
                         {"started_at", instant_text(one.at)},
                         {"lease_until", instant_text(lease_until)},
                         {"timeout_ms", of.terms.timeout.count()},
                         {"args", std::move(args)},
                         {"headers", std::move(headers)},
                         {"tags", std::move(tags)},
                         {"last_error", std::move(last_error)},
                         {"schedule", json_of_origin(of.body.origin)}},
                        memory);
}

// Its arguments; the result of the task that it came after is the first one, where it is to be.
awaitable<json::value> args_of(exchange& work, const task_body& body, json::storage_ptr memory) {
    auto args = detail::parse_json(body.args, "args", memory);
    if (!args.is_array()) throw bad_data{"args: expected an array"};
    if (body.takes_result && !body.after.empty()) {
        const auto text = co_await detail::stored_result(work.app(), to_text(body.after.back()));
        auto& all = args.get_array();
        all.insert(all.begin(), detail::parse_json(text, "args[0]", memory));
    }
    co_return args;
}

// The result that it takes is encrypted with a key that is not here: it uses no attempt, and others may have the key.
void wait_for_key(exchange& work, const attempt& one, const task_body& body, std::string why) {
    const auto now = work.tasks().now();
    auto said = task_event(event_kind::task_snoozed, one.task.id, body);
    said.queue = one.task.queue;
    // It was told as started when it was taken.
    said.started_at = one.at;
    said.ended_at = now;
    said.text = std::move(why);
    announce(work.app(), std::move(said));
    work.put(unbegun(work.app(), one, attempt_end::locked, nullptr, now));
}

// Nullopt: it cannot begin, and that was reported.
awaitable<std::optional<json::object>> show_claimed(exchange& work, const attempt& one, duration lease,
                                                    json::storage_ptr memory) {
    const auto of = open_attempt(work.app(), one.task);
    std::exception_ptr failed;
    try {
        auto args = co_await args_of(work, of.body, std::move(memory));
        co_return json_of_claimed(of, one, one.at + lease, std::move(args), work.tasks().claim_mark());
    } catch (const store_error&) {
        // What the store does not tell now it may tell the next one.
        throw;
    } catch (const key_missing& missing) {
        wait_for_key(work, one, of.body, missing.what());
        co_return std::nullopt;
    } catch (...) {
        failed = std::current_exception();
    }
    auto why = describe(failed);
    spoken said{
        .what = outcome_kind::failure, .type = std::move(why.type), .message = std::move(why.message)};
    work.put(judge(of, one, said, work.tasks().now()).what);
    co_return std::nullopt;
}

}  // namespace

const fields claim_fields{claim_members};

duration lease_of(const members& given, duration otherwise) {
    const auto length = given.integer("lease_ms", shortest_lease, longest_lease);
    return length ? duration{*length} : otherwise;
}

claim_asked read_claim_asked(const request& in, const json::object& from, const std::string& path,
                             duration lease) {
    const members given{from, claim_members, path};
    claim_asked asked;
    asked.wish.worker = *given.text("worker");
    if (!is_worker_name(asked.wish.worker))
        throw bad_request("the name of a worker has 1 to 100 bytes, none of them a control character",
                          given.path_of("worker"));
    asked.wish.queues = given.weights("queues", 1, heaviest);
    std::vector<std::string> queues;
    for (const auto& [name, weight] : asked.wish.queues) queues.push_back(name);
    check_names(queues, most_queues, "queues", given.path_of("queues"));
    for (const auto& name : queues) need_queue(in, name, given.path_of("queues"));
    if (given.has("handlers")) {
        auto names = given.texts("handlers");
        check_names(names, most_handlers, "handlers", given.path_of("handlers"));
        std::ranges::sort(names);
        names.erase(std::ranges::unique(names).begin(), names.end());
        asked.wish.handlers = std::move(names);
    }
    asked.wish.limit = static_cast<std::size_t>(given.integer("limit", 1, most_claimed).value_or(1));
    asked.wish.lease = lease_of(given, lease);
    asked.wait = duration{given.integer("wait_ms", 0, longest_claim_wait).value_or(0)};
    return asked;
}

awaitable<json::array> claim_for(call& c, exchange& work, claim_asked asked, claimed_tasks& got) {
    const auto lease = asked.wish.lease;
    got.order = work.order(std::move(asked.wish));
    co_await work.looked_for(got.order);
    const bool empty = got.order->got.empty() && !got.order->failure;
    if (empty && asked.wait > duration{0}) co_await c.at.wait(work.wait_for(got.order, asked.wait));
    got.all = co_await work.take(got.order);
    // Once they are written, all of them go at once.
    const auto memory = json::make_shared_resource<json::monotonic_resource>();
    json::array tasks(memory);
    std::vector<attempt> shown;
    for (const auto& one : got.all) {
        auto text = co_await show_claimed(work, one, lease, memory);
        if (!text) continue;
        tasks.emplace_back(std::move(*text));
        shown.push_back(one);
    }
    got.all = std::move(shown);
    co_return tasks;
}

awaitable<answer> claim_tasks(call& c) {
    const parameters none{c.in, {}};
    const auto body = body_object(c.in);
    auto asked = read_claim_asked(c.in, body, {}, c.at.app().settings().lease);
    const auto work = c.at.work();
    co_await work->ready();
    claimed_tasks got{work};
    auto tasks = co_await claim_for(c, *work, std::move(asked), got);
    auto out = json_answer(json::object{});
    add_member(out, "tasks", tasks);
    got.travel_with(out);
    co_return out;
}

}  // namespace errand::web
