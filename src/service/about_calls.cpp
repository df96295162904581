// Calls about the service itself.
#include <errand/error.hpp>

#include "core/task_id.hpp"
#include "service/calls.hpp"
#include "service/openapi.hpp"
#include "service/refusal.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace errand::web {

answer json_answer(const boost::json::value& document, int status) {
    return {.status = status, .body = boost::json::serialize(document)};
}

answer json_answer(const boost::json::object& document, int status) {
    return {.status = status, .body = boost::json::serialize(document)};
}

awaitable<answer> tell_alive(call&) { co_return json_answer(boost::json::object{{"status", "ok"}}); }

awaitable<answer> tell_ready(call& c) {
    if (c.at.stopping()) throw refusal{503, "unavailable", "this service is stopping"};
    // Of several servers away() asks all, of one nobody: a look at a task that is not there does.
    co_await c.at.app().find(to_text(task_id{}));
    const auto away = co_await c.at.app().inspect().away();
    if (!away.empty()) throw refusal{503, "unavailable", "a part of the store does not answer"};
    co_return json_answer(boost::json::object{{"status", "ok"}});
}

awaitable<answer> tell_routes(call&) { co_return json_answer(openapi_document()); }

}  // namespace errand::web
