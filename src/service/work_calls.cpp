// Taking tasks, and reporting and keeping many of them in one request.
#include <errand/detail/engine.hpp>
#include <errand/detail/json_read.hpp>
#include <errand/error.hpp>

#include "core/policy_rules.hpp"
#include "runtime/async_gate.hpp"
#include "runtime/task_event.hpp"
#include "service/attempt_calls.hpp"
#include "service/calls.hpp"
#include "service/checks.hpp"
#include "service/dispatch.hpp"
#include "service/exchange.hpp"
#include "service/info_json.hpp"
#include "service/instant.hpp"
#include "service/queue_bounds.hpp"
#include "service/refusal.hpp"
#include "service/values.hpp"
#include "worker/announce.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/json/array.hpp>
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <set>

namespace errand::web {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

constexpr std::int64_t most_claimed = 1000;
constexpr std::size_t most_reported = 1000;
constexpr std::size_t most_queues = 100;
constexpr std::size_t most_handlers = 1000;
constexpr int heaviest = 1000;
constexpr std::int64_t longest_claim_wait = 60'000;
constexpr std::int64_t shortest_lease = 1000;
constexpr std::int64_t longest_lease = 86'400'000;

constexpr field lease_member{
    "lease_ms", kind::integer,
    "1000 to 86400000: what is not reported, and not extended, so long after is taken for lost and goes to another. "
    "Without: the `lease` that the service is configured with"};

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

constexpr std::array report_batch_members{
    field{"reports", kind::objects,
          "1 to 1000 reports, each as `POST /v1/{namespace}/tasks/{id}:report` takes it, with its `id`",
          true},
    field{"claim", kind::object, "Then takes tasks, as `POST /v1/{namespace}/work:claim` does"},
};

constexpr std::array reported_members{
    field{"id", kind::text, "The task's id", true},
    field{"claim", kind::text, "The text that came with it", true},
    field{"outcome", kind::text, "What became of it", true},
    field{"result", kind::any, "Of a success"},
    field{"error", kind::object, "Of a failure"},
    field{"delay_ms", kind::integer, "Until the next attempt"},
    field{"schedule", kind::object, "Of the run of a schedule, for that"},
};

constexpr std::array extend_members{
    field{"tasks", kind::objects, "1 to 1000 tasks: `{\"id\", \"claim\"}`", true},
    lease_member,
};

constexpr std::array extended_members{
    field{"id", kind::text, "The task's id", true},
    field{"claim", kind::text, "The text that came with it", true},
};

constexpr std::array extend_one_members{
    field{"claim", kind::text, "The text that came with the task", true},
    lease_member,
};

// ---- claiming ----

struct claim_asked {
    claim_wish wish;
    duration wait{0};
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

// What was claimed for a request, until its answer has it.
class claimed_tasks {
public:
    explicit claimed_tasks(std::shared_ptr<exchange> from) : from_{std::move(from)} {}
    claimed_tasks(const claimed_tasks&) = delete;
    claimed_tasks& operator=(const claimed_tasks&) = delete;
    ~claimed_tasks() {
        if (order) from_->leave(order);
        from_->give_back(all);
    }

    std::shared_ptr<claim_order> order{};
    std::vector<attempt> all{};

    // An answer that holds them. They go back when it is not sent.
    void travel_with(answer& what) {
        what.unsent = [from = from_, given = std::exchange(all, {})] { from->give_back(given); };
    }

private:
    std::shared_ptr<exchange> from_;
};

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
                         {"priority", of.body.priority},
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

// The tasks of this claim as JSON, once there are any or the wait is over.
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

// To an answer that is an object: as a member of that object before it is written it would be copied.
template <class Value>
void add_member(answer& to, std::string_view name, const Value& value) {
    const auto text = json::serialize(value);
    to.body.pop_back();
    if (to.body.size() > 1) to.body += ',';
    to.body.append(1, '"').append(name).append("\":").append(text).append(1, '}');
}

// ---- many ----

// Each by itself, at the same time: `what` gives the answer of one, or throws.
template <class What>
awaitable<json::array> each_of(const json::array& items, const std::string& name, What what) {
    const auto executor = co_await asio::this_coro::executor;
    json::array results(items.size());
    async_gate ended{executor};
    std::size_t left = items.size();
    for (std::size_t i = 0; i < items.size(); ++i) {
        const auto path = name + '[' + std::to_string(i) + ']';
        asio::co_spawn(executor, what(items[i], path),
                       [&, i, path](const std::exception_ptr& why, json::object got) {
                           if (why) got = {{"error", web::json_of(refusal_of(why, true, path))}};
                           results[i] = std::move(got);
                           if (--left == 0) ended.open();
                       });
    }
    while (left > 0) co_await ended.wait();
    co_return results;
}

const json::array& need_items(const members& given, std::string_view name) {
    const auto& items = *given.array(name);
    if (!items.empty() && items.size() <= most_reported) return items;
    throw bad_request("\"" + std::string{name} + "\" is to be an array of 1 to 1000 objects",
                      given.path_of(name));
}

const json::object& need_object(const json::value& item, const std::string& path) {
    const auto* object = item.if_object();
    if (!object) throw bad_request("this is to be an object", path);
    return *object;
}

task_id id_in(const members& given) {
    const auto id = parse_task_id(*given.text("id"));
    if (!id) throw bad_request("\"id\" is no task's id", given.path_of("id"));
    return *id;
}

awaitable<json::object> report_item(const request& in, std::shared_ptr<exchange> work,
                                    const json::value& item, std::string path) {
    const members given{need_object(item, path), reported_members, path};
    const auto id = id_in(given);
    auto by = read_claim(given);
    auto said = read_spoken(given, work->app().settings.max_payload);
    co_await check_claimed(*work, in, id, by);
    auto done = co_await report_attempt(*work, id, std::move(by), std::move(said));
    co_return done;
}

// ---- extending ----

struct held_lease {
    task_id id;
    ticket by;
    bool lost = false;
    bool unheard = false;  // a part of the store has not answered
};

// Marks those that are lost, and those of which nothing is known. Returns until when the others are kept.
awaitable<time_point> extend_leases(exchange& work, std::vector<held_lease>& all, duration lease) {
    extend_call call;
    call.lease = lease;
    std::set<claim_number> claims;
    for (const auto& one : all) {
        work.tasks().know_claim(one.by.claim, one.by.mark);
        claims.insert(one.by.claim);
        call.tasks.emplace_back(one.id, one.by.claim);
    }
    call.claims.assign(claims.begin(), claims.end());
    // Not later than the store has it.
    const auto from = work.tasks().now();
    const auto heard = co_await work.extend(std::move(call));
    for (auto& one : all) {
        const auto is_claim = [&](claim_number claim) { return claim == one.by.claim; };
        const auto is_task = [&](const auto& task) { return task == std::pair{one.id, one.by.claim}; };
        one.lost = std::ranges::any_of(heard.lost_claims, is_claim) ||
                   std::ranges::any_of(heard.lost_tasks, is_task);
        one.unheard = std::ranges::any_of(heard.unheard, is_task);
    }
    co_return from + lease;
}

awaitable<json::object> extended(exchange& work, const held_lease& one, time_point until) {
    if (one.lost) {
        const auto found = co_await work.tasks().find(one.id);
        throw claim_lost(found);
    }
    if (one.unheard) throw store_error{"a part of the store does not answer"};
    co_return json::object{{"id", to_text(one.id)}, {"lease_until", instant_text(until)}};
}

}  // namespace

const fields claim_fields{claim_members};
const fields report_batch_fields{report_batch_members};
const fields extend_batch_fields{extend_members};
const fields extend_fields{extend_one_members};

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

awaitable<answer> report_batch(call& c) {
    const parameters none{c.in, {}};
    const auto body = body_object(c.in);
    const members given{body, report_batch_members};
    const auto& items = need_items(given, "reports");
    std::optional<claim_asked> asked;
    if (const auto* claim = given.object("claim"))
        asked = read_claim_asked(c.in, *claim, "claim", c.at.app().settings().lease);
    const auto work = c.at.work();
    co_await work->ready();
    auto results =
        co_await each_of(items, "reports", [&, work](const json::value& item, const std::string& path) {
            return report_item(c.in, work, item, path);
        });
    auto out = json_answer(json::object{{"results", std::move(results)}});
    if (!asked) co_return out;
    // What was reported is answered, whatever becomes of this.
    claimed_tasks got{work};
    std::exception_ptr failed;
    try {
        auto tasks = co_await claim_for(c, *work, std::move(*asked), got);
        add_member(out, "tasks", tasks);
    } catch (const client_gone&) {
        throw;
    } catch (...) {
        failed = std::current_exception();
    }
    if (failed) {
        add_member(out, "tasks", json::array{});
        add_member(out, "claim_error", web::json_of(refusal_of(failed, true, "claim")));
    }
    if (!failed) got.travel_with(out);
    co_return out;
}

awaitable<answer> extend_batch(call& c) {
    const parameters none{c.in, {}};
    const auto body = body_object(c.in);
    const members given{body, extend_members};
    const auto& items = need_items(given, "tasks");
    const auto lease = lease_of(given, c.at.app().settings().lease);
    json::array results(items.size());
    std::vector<held_lease> all;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const auto path = "tasks[" + std::to_string(i) + ']';
        try {
            const members one{need_object(items[i], path), extended_members, path};
            all.push_back({.id = id_in(one), .by = read_claim(one)});
            places.push_back(i);
        } catch (const refusal& why) {
            results[i] = json::object{{"error", web::json_of(why)}};
        }
    }
    const auto work = c.at.work();
    co_await work->ready();
    for (std::size_t n = all.size(); n-- > 0;) {
        std::exception_ptr refused;
        try {
            co_await check_claimed(*work, c.in, all[n].id, all[n].by);
        } catch (...) {
            refused = std::current_exception();
        }
        if (!refused) continue;
        const auto path = "tasks[" + std::to_string(places[n]) + ']';
        results[places[n]] = json::object{{"error", web::json_of(refusal_of(refused, false, path))}};
        all.erase(all.begin() + static_cast<std::ptrdiff_t>(n));
        places.erase(places.begin() + static_cast<std::ptrdiff_t>(n));
    }
    if (!all.empty()) {
        const auto until = co_await extend_leases(*work, all, lease);
        for (std::size_t n = 0; n < all.size(); ++n) {
            std::exception_ptr failed;
            try {
                auto done = co_await extended(*work, all[n], until);
                results[places[n]] = std::move(done);
            } catch (...) {
                failed = std::current_exception();
            }
            if (!failed) continue;
            const auto path = "tasks[" + std::to_string(places[n]) + ']';
            results[places[n]] = json::object{{"error", web::json_of(refusal_of(failed, true, path))}};
        }
    }
    co_return json_answer(json::object{{"results", std::move(results)}});
}

awaitable<answer> extend_task(call& c) {
    const parameters none{c.in, {}};
    const auto body = body_object(c.in);
    const members given{body, extend_one_members};
    const auto id = parse_task_id(c.part("id"));
    if (!id) throw not_found("no task has this id: it never was, or is no longer kept");
    const auto lease = lease_of(given, c.at.app().settings().lease);
    std::vector<held_lease> one{{.id = *id, .by = read_claim(given)}};
    const auto work = c.at.work();
    co_await work->ready();
    co_await check_claimed(*work, c.in, *id, one.front().by);
    const auto until = co_await extend_leases(*work, one, lease);
    auto done = co_await extended(*work, one.front(), until);
    co_return json_answer(done);
}

}  // namespace errand::web
