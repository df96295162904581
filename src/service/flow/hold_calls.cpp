// Holding tasks: of one type, or of several.
#include "service/calls.hpp"
#include "service/exchange.hpp"
#include "service/flow/calls.hpp"
#include "service/flow/holding.hpp"
#include "service/values.hpp"

namespace errand::flow {

namespace json = boost::json;

namespace {

json::object body_or_nothing(const web::request& in) {
    return in.body.empty() ? json::object{} : web::body_object(in);
}

// One that a path names and that cannot be is not there.
awaitable<flow_type> held_type(office at, std::string name) {
    if (!is_name(name)) co_return need_type(at.core, name);
    co_return co_await type_of(at, std::move(name), "type");
}

awaitable<web::answer> hold(web::call& c, office at, hold_asked asked) {
    const auto work = c.at.work();
    co_await work->ready();
    held_tasks got{work};
    const auto config = config_of(asked);
    auto tasks = co_await got.take(c, at, std::move(asked));
    auto out = web::json_answer(json::object{{"tasks", std::move(tasks)}, {"config", config}});
    got.travel_with(out);
    co_return out;
}

}  // namespace

awaitable<web::answer> hold_type(web::call& c) {
    const web::parameters none{c.in, {}};
    const auto body = body_or_nothing(c.in);
    const auto at = office_of(c);
    co_await at.home.ready();
    auto type = co_await held_type(at, c.part("type"));
    auto asked = read_hold_of(type, body, c.in.who);
    auto out = co_await hold(c, at, std::move(asked));
    co_return out;
}

awaitable<web::answer> hold_types(web::call& c) {
    const web::parameters none{c.in, {}};
    const auto body = web::body_object(c.in);
    const auto at = office_of(c);
    co_await at.home.ready();
    auto asked = co_await read_hold(at, body, {}, c.in.who);
    auto out = co_await hold(c, at, std::move(asked));
    co_return out;
}

}  // namespace errand::flow
