// Reporting and keeping many tasks in one request, and keeping one.
#include <errand/error.hpp>

#include "service/attempt_calls.hpp"
#include "service/calls.hpp"
#include "service/checks.hpp"
#include "service/claim_calls.hpp"
#include "service/dispatch.hpp"
#include "service/instant.hpp"
#include "service/items.hpp"
#include "service/queue_bounds.hpp"
#include "service/refusal.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <array>
#include <set>

namespace errand::web {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

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

// ---- many ----

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

const fields report_batch_fields{report_batch_members};
const fields extend_batch_fields{extend_members};
const fields extend_fields{extend_one_members};

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
    auto results = co_await each_item(items, "reports", [&, work](const json::value& item, std::string path) {
        return report_item(c.in, work, item, std::move(path));
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
            results[places[n]] = json::object{{"error", error_of_item(failed, path)}};
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
