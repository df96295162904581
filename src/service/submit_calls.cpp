// Submitting: one task, or many of which each has an answer of its own.
#include <errand/detail/engine.hpp>
#include <errand/error.hpp>
#include <errand/handle.hpp>
#include <errand/proxy.hpp>

#include "client/submit_steps.hpp"
#include "runtime/app_core.hpp"
#include "runtime/async_gate.hpp"
#include "service/calls.hpp"
#include "service/checks.hpp"
#include "service/queue_bounds.hpp"
#include "service/refusal.hpp"
#include "service/submission.hpp"
#include "service/target.hpp"
#include "service/values.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/json/array.hpp>

#include <array>

namespace errand::web {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

constexpr std::size_t most_in_batch = 1000;

constexpr std::array batch_members{
    field{"tasks", kind::submission, "1 to 1000 tasks, each as `POST /v1/{namespace}/tasks` takes it", true},
};

// What one request, or an item of one, submits.
struct submission_request {
    detail::draft draft;
    std::optional<std::string> key{};
};

// One request may submit many: `place` tells its items apart.
void set_key(submission_request& one, const std::string& key, std::size_t place) {
    refuse_biz_id_of(one.draft);
    one.key = key + '\n' + std::to_string(place);
}

struct submitted {
    std::string id;
    bool created = false;
};

submitted submitted_as(const detail::task_ref& ref) {
    return {.id = detail::id_text(ref), .created = !detail::is_duplicate(ref)};
}

// The key is the task's identity: a second submission finds the first one, however that has ended.
awaitable<submitted> submit_keyed(errand::app& app, detail::draft from, std::string key) {
    if (!from.app->submit_wrappers.empty()) from = co_await detail::wrapped(std::move(from));
    auto& core = *from.app;
    auto ready = prepare(std::move(from));
    // A wrapper may have given it one, by which it counts once then.
    const bool by_key = !ready.body.biz_id;
    const said now{.handler = ready.body.handler, .args = ready.body.args};
    if (by_key) {
        ready.conflict = on_conflict::where_free;
        ready.id = keyed_id(ready, key);
    }
    const auto ref = co_await detail::submit_prepared(core, std::move(ready));
    auto done = submitted_as(ref);
    if (by_key && !done.created) {
        // One that is gone was the same when it came.
        if (const auto there = co_await app.find(done.id)) check_same(*there, now);
    }
    co_return done;
}

awaitable<submitted> submit(errand::app& app, const request& in, submission_request one, std::string path) {
    co_await check_waited_for(app, in, one.draft, path.empty() ? "after" : path + ".after");
    if (one.key) {
        auto done = co_await submit_keyed(app, std::move(one.draft), std::move(*one.key));
        co_return done;
    }
    if (!in.only_queues.empty()) {
        // One that has ended elsewhere gets no new life by it.
        const auto ready = prepare(detail::draft{one.draft});
        need_queue(in, ready.body.queue, path.empty() ? "queue" : path + ".queue");
        if (ready.body.biz_id) co_await check_there(app, in, to_text(ready.id));
    }
    const auto ref = co_await detail::submit(std::move(one.draft));
    auto done = submitted_as(ref);
    if (!done.created) co_await check_there(app, in, done.id);
    co_return done;
}

json::object json_of(const submitted& one) { return {{"id", one.id}, {"created", one.created}}; }

// One of a batch, whatever becomes of it.
awaitable<json::object> submit_item(errand::app& app, const request& in, const json::value& item,
                                    std::optional<std::string> key, std::size_t place) {
    const auto path = "tasks[" + std::to_string(place) + ']';
    std::exception_ptr why;
    try {
        const auto* object = item.if_object();
        if (!object) throw bad_request("a task is to be an object", path);
        submission_request one{read_submission(app, in, members{*object, submission_fields, path})};
        if (key) set_key(one, *key, place);
        const auto done = co_await submit(app, in, std::move(one), path);
        co_return json_of(done);
    } catch (...) {
        why = std::current_exception();
    }
    co_return json::object{{"error", web::json_of(refusal_of(why, true, path))}};
}

}  // namespace

const fields batch_fields{batch_members};

awaitable<answer> submit_task(call& c) {
    const parameters none{c.in, {}};
    const auto body = body_object(c.in);
    submission_request one{read_submission(c.at.app(), c.in, members{body, submission_fields})};
    if (const auto key = key_of(c.in)) set_key(one, *key, 0);
    const auto done = co_await submit(c.at.app(), c.in, std::move(one), {});
    auto out = json_answer(json_of(done), done.created ? 201 : 200);
    out.headers.push_back({"Location", "/v1/" + percent_encoded(c.part("namespace")) + "/tasks/" + done.id});
    co_return out;
}

awaitable<answer> submit_batch(call& c) {
    const parameters none{c.in, {}};
    const auto body = body_object(c.in);
    const members given{body, batch_members};
    const auto& items = *given.array("tasks");
    if (items.empty() || items.size() > most_in_batch)
        throw bad_request("\"tasks\" is to be an array of 1 to 1000 tasks", "tasks");
    const auto key = key_of(c.in);
    json::array results(items.size());
    const auto executor = co_await asio::this_coro::executor;
    async_gate ended{executor};
    std::size_t left = items.size();
    for (std::size_t i = 0; i < items.size(); ++i) {
        asio::co_spawn(executor, submit_item(c.at.app(), c.in, items[i], key, i),
                       [&, i](std::exception_ptr why, json::object got) {
                           if (why) got = {{"error", web::json_of(refusal_of(why, true))}};
                           results[i] = std::move(got);
                           if (--left == 0) ended.open();
                       });
    }
    while (left > 0) co_await ended.wait();
    co_return json_answer(json::object{{"results", std::move(results)}});
}

}  // namespace errand::web
