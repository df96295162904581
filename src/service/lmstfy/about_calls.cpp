// What lmstfy's admin API tells of the service itself.
#include <errand/app.hpp>

#include "core/task_id.hpp"
#include "runtime/async_gate.hpp"
#include "service/lmstfy/admin_calls.hpp"
#include "service/lmstfy/answers.hpp"
#include "service/lmstfy/names.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <utility>

namespace errand::lmstfy {

namespace json = boost::json;

namespace {

awaitable<overview_answer> overview_of(std::shared_ptr<tenant> of) {
    return on_tenant(std::move(of), [](tenant& there) { return there.home().tasks().overview(); });
}

struct seen_tenant {
    std::shared_ptr<tenant> of;
    overview_answer seen;
};

// At the same time; without those whose store does not answer: they keep nothing from the others.
awaitable<std::vector<seen_tenant>> overviews_of(std::vector<std::shared_ptr<tenant>> all) {
    const auto executor = co_await boost::asio::this_coro::executor;
    std::vector<seen_tenant> got;
    std::size_t left = all.size();
    async_gate changed{executor};
    for (const auto& one : all) {
        boost::asio::co_spawn(executor, overview_of(one),
                              [&, of = one](const std::exception_ptr& failure, overview_answer seen) {
                                  if (!failure) got.push_back({of, std::move(seen)});
                                  --left;
                                  changed.open();
                              });
    }
    while (left > 0) co_await changed.wait();
    std::ranges::sort(got, {},
                      [](const seen_tenant& one) { return std::pair{one.of->pool(), one.of->name_space()}; });
    co_return got;
}

std::string log_state(const web::hub& of) { return of.log == access_log::off ? "disabled" : "enabled"; }

}  // namespace

awaitable<web::answer> list_pools(web::call& c) {
    json::array all;
    for (const auto& one : office_of(c.at.shared()).pools()) all.emplace_back(one);
    co_return json_text(all);
}

awaitable<web::answer> show_info(web::call& c) {
    auto& office = office_of(c.at.shared());
    const query_reader query{c.in};
    const auto* named = query.text("pool");
    const std::string pool = named && !named->empty() ? *named : std::string{default_pool};
    if (!office.has_pool(pool)) throw web::not_found("pool not found");
    co_await office.home().ready();
    auto shown = office.shown_tenants();
    std::erase_if(shown, [&](const auto& one) { return one->pool() != pool; });
    json::object all;
    for (const auto& [of, seen] : co_await overviews_of(std::move(shown))) {
        json::array queues;
        for (const auto& one : seen.queues) {
            // Those of which there is nothing any more are not known apart from those that were only asked for.
            if (one.ready + one.delayed + one.retry + one.waiting + one.dead > 0)
                queues.emplace_back(one.queue);
        }
        if (!queues.empty()) all[of->name_space()] = std::move(queues);
    }
    co_return web::answer{.status = 200, .body = json::serialize(all), .type = "text/plain; charset=utf-8"};
}

awaitable<web::answer> show_version(web::call&) {
    co_return json_text(json::object{
        {"version", "errand " ERRAND_SERVICE_VERSION}, {"build_commit", "errand"}, {"build_date", ""}});
}

awaitable<web::answer> show_access_log(web::call& c) {
    co_return json_text(json::object{{"status", log_state(c.at.shared())}});
}

awaitable<web::answer> switch_access_log(web::call& c) {
    const query_reader query{c.in};
    const auto* status = query.text("status");
    if (!status || (*status != "enable" && *status != "disable"))
        throw web::bad_request("invalid status: it is to be enable or disable");
    auto& hub = c.at.shared();
    const auto usual = hub.options.access_log == access_log::off ? access_log::text : hub.options.access_log;
    hub.log = *status == "enable" ? usual : access_log::off;
    co_return json_text(json::object{{"status", log_state(hub)}});
}

awaitable<web::answer> show_metrics(web::call& c) {
    auto& office = office_of(c.at.shared());
    std::vector<counted_queue> queues;
    co_await office.home().ready();
    for (const auto& [one, seen] : co_await overviews_of(office.shown_tenants())) {
        for (const auto& queue : seen.queues) {
            queues.push_back({.where = {one->pool(), one->name_space(), queue.queue},
                              .ready = queue.ready,
                              .dead = queue.dead,
                              .later = queue.delayed + queue.retry});
        }
    }
    co_return web::answer{.status = 200,
                          .body = office.figures().text(queues),
                          .type = "text/plain; version=0.0.4; charset=utf-8"};
}

awaitable<web::answer> show_alive(web::call&) { co_return json_text(json::object{{"status", "ok"}}); }

awaitable<web::answer> show_ready(web::call& c) {
    if (c.at.stopping()) throw web::refusal{503, "unavailable", "this service is stopping"};
    co_await c.at.app().find(to_text(task_id{}));
    co_return json_text(json::object{{"status", "ok"}});
}

}  // namespace errand::lmstfy
