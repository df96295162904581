#include <errand/error.hpp>
#include <errand/proxy.hpp>

#include "runtime/ambient.hpp"
#include "runtime/caller_loop.hpp"
#include "service/connection.hpp"
#include "service/console/assets.hpp"
#include "service/console/office.hpp"
#include "service/exchange.hpp"
#include "service/intake.hpp"
#include "service/lmstfy/names.hpp"
#include "service/lmstfy/office.hpp"
#include "service/lmstfy/sites.hpp"
#include "service/origins.hpp"
#include "service/server.hpp"
#include "service/target.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <spdlog/logger.h>

#include <algorithm>

namespace errand {

namespace asio = boost::asio;

namespace {

void check_number(const char* name, std::size_t value, std::size_t least, std::size_t most) {
    if (value >= least && value <= most) return;
    throw usage_error{std::string{"service_options ."} + name + " = " + std::to_string(value) + ": must be " +
                      std::to_string(least) + ".." + std::to_string(most)};
}

void check_time(const char* name, duration value) {
    if (value > duration{0} && value <= std::chrono::hours{1}) return;
    throw usage_error{std::string{"service_options ."} + name + " = " + std::to_string(value.count()) +
                      "ms: must be more than none, and at most an hour"};
}

service_options checked(service_options given) {
    constexpr std::size_t gigabyte = std::size_t{1024} * 1024 * 1024;
    if (given.listen.empty()) throw usage_error{"service_options .listen is empty: name an address"};
    check_number("max_body", given.max_body, 1024, gigabyte);
    check_number("max_header", given.max_header, 512, std::size_t{1024} * 1024);
    check_number("max_connections", given.max_connections, 1, 1'000'000);
    // Else those who wait could keep everybody out, also who asks whether it is there.
    if (given.max_waiting >= given.max_connections) {
        throw usage_error{"service_options .max_waiting = " + std::to_string(given.max_waiting) +
                          ": must be less than max_connections, which is " +
                          std::to_string(given.max_connections)};
    }
    check_time("header_timeout", given.header_timeout);
    check_time("body_timeout", given.body_timeout);
    check_time("idle_timeout", given.idle_timeout);
    check_time("write_timeout", given.write_timeout);
    check_time("stop_grace", given.stop_grace);
    for (auto& host : given.hosts) {
        const auto name = web::host_name_of(host);
        if (!name) throw usage_error{"service_options .hosts: \"" + host + "\" is no name of a host"};
        host = *name;
    }
    for (auto& origin : given.origins) origin = web::read_origin(origin);
    console::check(given.console);
    if (given.tls.certificate_file.empty() != given.tls.key_file.empty()) {
        throw usage_error{
            "service_options .tls: name both, the certificate and its key (certificate_file and key_file, --tls-certificate "
            "and --tls-key)"};
    }
    return given;
}

bool asks_for_tokens(const service_options& options) {
    return !options.tokens_file.empty() || options.stored_tokens;
}

void check_open(const web::endpoint& at, const service_options& options) {
    if (at.local || options.allow_anyone || asks_for_tokens(options)) return;
    throw usage_error{
        "listening on " + web::to_text(at) +
        " would let anybody who reaches this machine use the tasks: say who may (tokens_file, --tokens, or stored_tokens, "
        "--stored-tokens), listen on "
        "127.0.0.1, [::1] or unix:/path, or allow it (allow_anyone, --allow-anyone) when something before it asks who "
        "comes"};
}

void check_admin_open(const web::endpoint& at, const service_options& options) {
    if (at.local || options.allow_anyone || !options.lmstfy.accounts_file.empty()) return;
    throw usage_error{"lmstfy's admin API on " + web::to_text(at) +
                      " would let anybody who reaches this machine make tokens: say who may (accounts_file, "
                      "--lmstfy-accounts), listen on 127.0.0.1, [::1] or unix:/path, or allow it "
                      "(allow_anyone, --allow-anyone) when something before it asks who comes"};
}

void check_lmstfy(const lmstfy_options& given) {
    for (const auto& [name, url] : given.pools) {
        if (name == "default" || !lmstfy::is_pool_name(name)) {
            throw usage_error{"service_options .lmstfy.pools: \"" + name +
                              "\" is no name of a pool: 1 to 255 of A-Z, a-z, 0-9, - and _, and not "
                              "\"default\", which is the app's own store"};
        }
        if (url.empty()) throw usage_error{"service_options .lmstfy.pools: " + name + " names no store"};
    }
    if (given.tries == 0) throw usage_error{"service_options .lmstfy.tries = 0: must be 1..65535"};
    if (given.ttl > 0 && given.ttl < given.delay)
        throw usage_error{"service_options .lmstfy.ttl = " + std::to_string(given.ttl) +
                          ": ends before .delay = " + std::to_string(given.delay) + " does"};
}

// What listens, and what is asked for there.
struct open_door {
    std::unique_ptr<web::listener> at;
    web::site* asked = nullptr;
};

std::vector<std::string> addresses_of(const std::vector<open_door>& doors, const web::site* asked) {
    std::vector<std::string> all;
    for (const auto& one : doors) {
        if (one.asked == asked) all.push_back(web::to_text(one.at->at()));
    }
    return all;
}

}  // namespace

service::server::server(app& of, service_options options) : app_{of}, options_{checked(std::move(options))} {
    detail::core_of(app_).measure();
    const bool certified = !options_.tls.certificate_file.empty();
    if (certified) {
        tls_ = std::make_unique<web::tls_files>(options_.tls, [this](const std::string& why) {
            detail::core_of(app_).log->warn(why);
        });
    }
    for (const auto& text : options_.listen) {
        endpoints_.push_back(web::known_endpoint(web::read_endpoint(text, certified)));
        check_open(endpoints_.back(), options_);
    }
    for (const auto& text : options_.admin_listen) {
        own_admin_endpoints_.push_back(web::known_endpoint(web::read_endpoint(text, certified)));
        check_open(own_admin_endpoints_.back(), options_);
    }
    if (!options_.tokens_file.empty()) web::token_book{options_.tokens_file};
    if (!options_.origins.empty() && !asks_for_tokens(options_)) {
        detail::core_of(app_).log->warn(
            "pages of the named origins may use the tasks for whoever opens them, since there are no tokens: say who may "
            "(tokens_file, --tokens, or stored_tokens, --stored-tokens)");
    }
    check_lmstfy(options_.lmstfy);
    for (const auto& text : options_.lmstfy.listen)
        job_endpoints_.push_back(web::known_endpoint(web::read_endpoint(text, certified)));
    for (const auto& text : options_.lmstfy.admin_listen) {
        admin_endpoints_.push_back(web::known_endpoint(web::read_endpoint(text, certified)));
        check_admin_open(admin_endpoints_.back(), options_);
    }
    if (!options_.lmstfy.accounts_file.empty()) web::token_book{options_.lmstfy.accounts_file};
}

void service::server::stop() {
    const std::lock_guard lock{guard_};
    asked_to_stop_ = true;
    if (wake_) wake_();
}

void service::server::reload_tls() {
    if (tls_) tls_->read();
}

awaitable<void> service::server::run_held(std::shared_ptr<server> held) { co_await held->run(); }

awaitable<void> service::server::run() {
    auto& core = detail::core_of(app_);
    const auto executor = co_await asio::this_coro::executor;
    loop& there = caller_loop(executor, core);
    // Whoever starts it from a task or a transaction does not lend it to all who ask.
    auto around = std::make_shared<ambient>(ambient{.app = &core, .home = &there});
    auto own = with_ambient(there.executor(), std::move(around));
    co_await asio::co_spawn(own, serve(own), asio::use_awaitable);
}

awaitable<void> service::server::serve(asio::any_io_executor executor) {
    // A cancelled service ends in order, which takes some awaiting.
    co_await asio::this_coro::throw_if_cancelled(false);
    const auto hub = std::make_shared<web::hub>(app_, options_, executor);
    const bool apart = !own_admin_endpoints_.empty();
    const auto rest = web::make_rest_site(*hub, apart ? web::offer::no_admin : web::offer::all);
    const auto own_admin = apart ? web::make_rest_site(*hub, web::offer::admin_only) : nullptr;
    const auto jobs = job_endpoints_.empty() ? nullptr : lmstfy::make_job_site(*hub);
    const auto admin = admin_endpoints_.empty() ? nullptr : lmstfy::make_admin_site(*hub);
    std::vector<open_door> doors;
    const auto open = [&](const std::vector<web::endpoint>& all, web::site* asked) {
        for (const auto& at : all) doors.push_back({std::make_unique<web::listener>(executor, at), asked});
    };
    open(endpoints_, rest.get());
    open(own_admin_endpoints_, own_admin.get());
    open(job_endpoints_, jobs.get());
    open(admin_endpoints_, admin.get());
    if (options_.on_admin_listening && apart)
        options_.on_admin_listening(addresses_of(doors, own_admin.get()));
    if (options_.lmstfy.on_listening && (jobs || admin)) {
        const auto of = [&](const web::site* asked) {
            return asked ? addresses_of(doors, asked) : std::vector<std::string>{};
        };
        options_.lmstfy.on_listening(of(jobs.get()), of(admin.get()));
    }
    if (options_.on_listening) options_.on_listening(addresses_of(doors, rest.get()));
    for (auto& one : doors) {
        ++hub->accepting;
        auto begin = [this, hub, &one](web::stream_socket socket) {
            start(*hub, *one.asked, std::move(socket), one.at->at().secure);
        };
        asio::co_spawn(executor, web::take_in(*one.at, *hub, std::move(begin)), [hub](std::exception_ptr) {
            --hub->accepting;
            hub->changed.open();
        });
    }
    co_await until_stopped(executor);
    hub->stopping = true;
    for (auto& one : doors) one.at->close();
    co_await wind_up(hub);
}

void service::server::start(web::hub& hub, web::site& asked, web::stream_socket socket, bool secure) {
    const auto executor = socket.get_executor();
    const auto by = secure ? tls_->now() : nullptr;
    const std::shared_ptr<web::connection> one =
        web::make_connection(hub, asked, std::move(socket), by.get());
    hub.connections.insert(one.get());
    try {
        asio::co_spawn(executor, one->run(), [one, &hub](std::exception_ptr) {
            hub.connections.erase(one.get());
            hub.changed.open();
        });
    } catch (...) {
        hub.connections.erase(one.get());
        throw;
    }
}

awaitable<void> service::server::until_stopped(asio::any_io_executor executor) {
    const auto asked = std::make_shared<async_gate>(executor);
    {
        const std::lock_guard lock{guard_};
        wake_ = [asked, executor] { asio::post(executor, [asked] { asked->open(); }); };
    }
    const auto is_asked = [this] {
        const std::lock_guard lock{guard_};
        return asked_to_stop_;
    };
    auto state = co_await asio::this_coro::cancellation_state;
    while (!is_asked() && state.cancelled() == asio::cancellation_type::none) {
        co_await asked->wait();
        state = co_await asio::this_coro::cancellation_state;
    }
    const std::lock_guard lock{guard_};
    wake_ = nullptr;
}

awaitable<void> service::server::wind_up(std::shared_ptr<web::hub> hub) {
    hub->changed.open();
    if (hub->console) hub->console->end_streams();
    for (auto* one : hub->connections) one->stop();
    asio::steady_timer grace{co_await asio::this_coro::executor, options_.stop_grace};
    grace.async_wait([hub](const boost::system::error_code& ec) {
        if (ec) return;
        for (auto* one : hub->connections) one->cut();
    });
    while (!hub->connections.empty() || hub->accepting > 0) co_await hub->changed.wait();
    if (hub->jobs) co_await hub->jobs->stop();
    if (hub->work) co_await hub->work->stop();
    if (hub->console) co_await hub->console->stop();
}

service::service(app& app, service_options options)
    : server_{std::make_shared<server>(app, std::move(options))} {}

service::~service() { server_->stop(); }

awaitable<void> service::run() { return server::run_held(server_); }

void service::stop() { server_->stop(); }

void service::reload_tls() { server_->reload_tls(); }

}  // namespace errand
