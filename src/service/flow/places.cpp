#include "service/flow/places.hpp"

#include <errand/proxy.hpp>

#include "runtime/caller_loop.hpp"
#include "runtime/task_gates.hpp"
#include "service/hub.hpp"
#include "service/refusal.hpp"
#include "service/values.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace errand::flow {

namespace asio = boost::asio;

namespace {

constexpr std::size_t longest_id = 200;

}  // namespace

office office_of(web::call& c) {
    auto& core = detail::core_of(c.at.app());
    return {.core = core,
            .home = caller_loop(c.at.shared().loop, core),
            .types_appear = c.at.shared().options.flow_types_appear,
            .in = &c.in};
}

void check_type(const office& at, const std::string& type) {
    if (!at.may_use(type)) throw web::not_found("there is no such type; PUT one first");
}

task_id derived_id(const detail::app_core& core, const std::string& type, const std::string& id) {
    const auto* known = handlers::find(type);
    const auto derived = derive_task_id(known ? known->identity : type, id);
    return known ? placed_id(*known, derived, core.settings.shards) : derived;
}

void check_id(const std::string& id, const std::string& path) {
    if (!id.empty() && id.size() <= longest_id) return;
    throw web::bad_request("the id of a task has 1 to 200 bytes", path);
}

awaitable<std::optional<seen_task>> find_task(office at, std::string type, std::string id) {
    co_await at.home.ready();
    const auto derived = derived_id(at.core, type, id);
    auto found = co_await at.home.tasks().find(derived);
    const auto made_here = parse_task_id(id);
    if (!found && made_here) found = co_await at.home.tasks().find(*made_here);
    if (!found) co_return std::nullopt;
    auto one = seen(std::move(*found));
    if (!one) co_return std::nullopt;
    const auto* known = handlers::find(type);
    const bool of_type = one->body.handler == type || (known && handlers::find(one->body.handler) == known);
    if (!of_type || !at.may_use(one->body.queue)) co_return std::nullopt;
    co_return one;
}

awaitable<seen_task> need_task(office at, std::string type, std::string id) {
    check_id(id, "id");
    auto found = co_await find_task(at, std::move(type), std::move(id));
    // One text for all that is not here: nobody is told whose it is.
    if (!found) throw web::not_found("no task of this type has this id: it never was, or is no longer kept");
    co_return std::move(*found);
}

awaitable<void> pause_for(duration length) {
    asio::steady_timer pause{co_await asio::this_coro::executor, length};
    co_await pause.async_wait(asio::as_tuple(asio::use_awaitable));
}

web::refusal conflict(const std::string& message) { return {409, "conflict", message}; }

}  // namespace errand::flow
