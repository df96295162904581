// errand serve: the tasks over HTTP, until SIGINT or SIGTERM.
#include <errand/error.hpp>
#include <errand/service.hpp>

#include "cli/commands.hpp"
#include "cli/given_sockets.hpp"
#include "cli/options.hpp"
#include "cli/session.hpp"
#include "core/config_text.hpp"
#include "core/whole_number.hpp"
#include "service/flow/routes.hpp"
#include "service/openapi.hpp"

#include <boost/asio/signal_set.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <map>
#include <memory>
#include <type_traits>

namespace errand::cli {
namespace {

struct serve_options {
    service_options how;
    const CLI::Option* listen = nullptr;
    const CLI::Option* tokens = nullptr;
    std::vector<std::string> pools;
    std::vector<std::string> job_defaults;
    std::string access_log = "text";
    std::string idle_timeout;
    std::string stop_grace;
    std::string print;
    bool tenants = false;
};

const std::map<std::string, access_log> log_names{
    {"off", access_log::off}, {"text", access_log::text}, {"json", access_log::json}};

// "fast=redis://cache:6379/0"
std::map<std::string, std::string> pools_of(const std::vector<std::string>& given) {
    std::map<std::string, std::string> pools;
    for (const auto& one : given) {
        const auto equals = one.find('=');
        if (equals == one.npos || !pools.emplace(one.substr(0, equals), one.substr(equals + 1)).second)
            throw usage_error{"--lmstfy-pool " + one + ": write NAME=STORE, each name once"};
    }
    return pools;
}

// "ttr=60": what a request means that does not say it.
void set_default(lmstfy_options& of, const std::string& given) {
    const auto equals = std::min(given.find('='), given.size());
    const auto name = given.substr(0, equals);
    const auto text = given.substr(std::min(equals + 1, given.size()));
    const std::map<std::string, std::uint32_t*> seconds{
        {"ttl", &of.ttl}, {"delay", &of.delay}, {"ttr", &of.ttr}, {"timeout", &of.timeout}};
    const auto read = [&](auto& into) {
        const auto number = whole_number<std::remove_reference_t<decltype(into)>>(text);
        if (number) into = *number;
        return number.has_value();
    };
    const auto which = seconds.find(name);
    if (which != seconds.end() ? read(*which->second) : name == "tries" && read(of.tries)) return;
    throw usage_error{"--lmstfy-default " + given +
                      ": write tries=N, or ttl, delay, ttr or timeout with a whole number of seconds"};
}

service_options options_of(const serve_options& given) {
    auto how = given.how;
    how.access_log = log_names.at(given.access_log);
    how.lmstfy.pools = pools_of(given.pools);
    for (const auto& one : given.job_defaults) set_default(how.lmstfy, one);
    take_given_sockets(how, given.listen->count() > 0);
    // Standard output is for lines that a program reads; the access log is one of them.
    how.access_log_sink = [](std::string_view line) { print(std::string{line} + '\n'); };
    if (!given.idle_timeout.empty()) how.idle_timeout = need_length("--idle-timeout", given.idle_timeout);
    if (!given.stop_grace.empty()) how.stop_grace = need_length("--stop-grace", given.stop_grace);
    return how;
}

struct addresses {
    std::vector<std::string> rest;
    std::vector<std::string> admin;
    std::vector<std::string> console;  // as a person opens them
    std::vector<std::string> lmstfy;
    std::vector<std::string> lmstfy_admin;
};

// By what it goes down in the log, and by what a program that started it knows that it is there.
void tell(const config& settings, bool json, const addresses& at) {
    if (json) {
        const auto array_of = [](const std::vector<std::string>& all) {
            return boost::json::array(all.begin(), all.end());
        };
        boost::json::object document{{"listening", array_of(at.rest)}, {"namespace", settings.name_space}};
        if (!at.admin.empty()) document["admin"] = array_of(at.admin);
        if (!at.console.empty()) document["console"] = array_of(at.console);
        if (!at.lmstfy.empty()) document["lmstfy"] = array_of(at.lmstfy);
        if (!at.lmstfy_admin.empty()) document["lmstfy_admin"] = array_of(at.lmstfy_admin);
        print_document(document);
        return;
    }
    for (const auto& one : at.rest) print("serving namespace " + settings.name_space + " on " + one + '\n');
    for (const auto& one : at.admin) print("calls with the scope admin are served on " + one + " alone\n");
    for (const auto& one : at.console) print("console at " + one + '\n');
    for (const auto& one : at.lmstfy) print("serving lmstfy's API on " + one + '\n');
    for (const auto& one : at.lmstfy_admin) print("serving lmstfy's admin API on " + one + '\n');
}

// With each of them; what is wrong with the files then ends no service.
void reload_with(boost::asio::signal_set& signals, service& what) {
    signals.async_wait([&](const boost::system::error_code& ec, int) {
        if (ec) return;
        try {
            what.reload_tls();
        } catch (const usage_error& why) {
            complain(std::string{why.what()} + "; the certificate of before stays");
        }
        reload_with(signals, what);
    });
}

awaitable<void> serve_until_signal(service& what, bool certified) {
    const auto executor = co_await boost::asio::this_coro::executor;
    boost::asio::signal_set signals{executor, SIGINT, SIGTERM};
    signals.async_wait([&](const boost::system::error_code& ec, int) {
        if (!ec) what.stop();
    });
    boost::asio::signal_set reloads{executor};
    if (certified) {
        reloads.add(SIGHUP);
        reload_with(reloads, what);
    }
    co_await what.run();
}

exit_code serve(session& on, const serve_options& given) {
    if (given.print == "reference") {
        print(web::reference_text(web::routes()));
        return exit_code::done;
    }
    if (given.print == "flow-reference") {
        print(web::reference_text(flow::routes()));
        return exit_code::done;
    }
    if (given.print == "openapi") {
        print_document(web::openapi_document());
        return exit_code::done;
    }
    // As from a variable that is not set: nobody is let in by mistake.
    if (given.tokens->count() > 0 && given.how.tokens_file.empty())
        throw usage_error{"--tokens names no file"};
    auto settings = on.settings();
    // Not of an environment alone that may have been a worker's: whoever may look sees all of them.
    if (given.tenants) settings.name_spaces = config::from_environment().name_spaces;
    on.need_shared_store(settings);
    auto how = options_of(given);
    const auto at = std::make_shared<addresses>();
    how.lmstfy.on_listening = [at](const auto& api, const auto& admin) {
        at->lmstfy = api;
        at->lmstfy_admin = admin;
    };
    how.on_admin_listening = [at](const std::vector<std::string>& all) { at->admin = all; };
    how.on_listening = [settings, json = on.json(), at,
                        console = how.console](const std::vector<std::string>& all) {
        at->rest = all;
        for (const auto& one : all) {
            // A browser does not ask by a unix socket.
            const bool by_socket = one.find("unix:") != one.npos;
            if (console.offered && !by_socket) at->console.push_back(one + console.prefix + '/');
        }
        tell(settings, json, *at);
    };
    // Whoever read its lines may go: that is no end for a server.
    std::signal(SIGPIPE, SIG_IGN);
    app tasks{settings};
    const bool certified = !how.tls.certificate_file.empty();
    service http{tasks, std::move(how)};
    tasks.block_on(serve_until_signal(http, certified));
    return exit_code::done;
}

}  // namespace

runner prepare_serve(CLI::App& line) {
    const auto given = std::make_shared<serve_options>();
    auto& how = given->how;
    given->listen =
        line.add_option(
                "--listen", how.listen,
                "Where: 127.0.0.1:7070 (the default), [::1]:7070, unix:/run/errand.sock; may be given "
                "again")
            ->type_name("ADDRESS")
            ->allow_extra_args(false);
    line.add_option("--tls-certificate", how.tls.certificate_file,
                    "Speaks TLS with the certificate of this PEM file; SIGHUP reads both anew")
        ->type_name("FILE");
    line.add_option("--tls-key", how.tls.key_file, "The certificate's private key")->type_name("FILE");
    line.add_option("--host", how.hosts,
                    "A name under which it is asked, besides localhost; may be given again")
        ->type_name("NAME")
        ->allow_extra_args(false);
    line.add_option(
            "--origin", how.origins,
            "An origin, as https://shop.example.com, whose pages may use /v1 and /flow; may be given again")
        ->type_name("ORIGIN")
        ->allow_extra_args(false);
    given->tokens = line.add_option("--tokens", how.tokens_file,
                                    "Who may ask: a file of lines that `errand token` writes")
                        ->type_name("FILE");
    line.add_flag(
        "--stored-tokens", how.stored_tokens,
        "Who asks needs a token also without a file of them: one that the store keeps (errand token --stored)");
    line.add_option(
            "--admin-listen", how.admin_listen,
            "Where calls with the scope admin are served, and nothing else; then they are served there alone")
        ->type_name("ADDRESS")
        ->allow_extra_args(false);
    line.add_flag(
        "--allow-anyone", how.allow_anyone,
        "Listens where others than this machine reach it also without tokens: anybody may use the tasks then");
    line.add_option("--max-body", how.max_body, "Bytes of a request's body (8388608)")->type_name("N");
    line.add_option("--max-connections", how.max_connections, "So many at once (1000)")->type_name("N");
    line.add_option("--max-waiting", how.max_waiting,
                    "So many requests may wait for results, fewer than connections (800)")
        ->type_name("N");
    line.add_option("--idle-timeout", given->idle_timeout, "A connection may be idle so long (75s)")
        ->type_name("TIME");
    line.add_option("--stop-grace", given->stop_grace, "At the end, requests may go on so long (10s)")
        ->type_name("TIME");
    line.add_option("--access-log", given->access_log, "A line for each request on standard output (text)")
        ->type_name("FORM")
        ->check(CLI::IsMember(log_names));
    line.add_flag("!--no-console", how.console.offered,
                  "Without the web console, which is at / of each address");
    line.add_option("--prefix", how.console.prefix,
                    "The path under which something before the service offers it, as /errand")
        ->type_name("PATH");
    line.add_flag("--hide-args", how.console.hide_args,
                  "The console shows nobody arguments and results of tasks");
    line.add_option("--trace-url", how.console.trace_url,
                    "Where the console's pages of tasks link to: https://jaeger.example.com/trace/{trace_id}")
        ->type_name("URL");
    line.add_option("--log-url", how.console.log_url,
                    "Likewise for log lines: {id}, {handler} and {queue} are those of the task")
        ->type_name("URL");
    line.add_flag(
        "--tenants", given->tenants,
        "The console shows the namespaces of ERRAND_NAME_SPACES beside each other, to all who may look");
    line.add_flag("--flow-types-appear", how.flow_types_appear,
                  "Types of task flows that nobody has made appear when they are first named");
    line.add_option("--ui-dir", how.console.files,
                    "The console's files are read from this folder at each request, while one edits them")
        ->type_name("FOLDER");
    line.add_option("--lmstfy", how.lmstfy.listen,
                    "Also lmstfy's API, for its clients: :7777 is what they expect; may be given again")
        ->type_name("ADDRESS")
        ->allow_extra_args(false);
    line.add_option("--lmstfy-admin", how.lmstfy.admin_listen,
                    "Also lmstfy's admin API, which makes tokens: 127.0.0.1:7778 is what its tools expect")
        ->type_name("ADDRESS")
        ->allow_extra_args(false);
    line.add_option(
            "--lmstfy-pool", given->pools,
            "A pool of lmstfy's: its name and its store, as fast=redis://cache:6379/0; may be given again")
        ->type_name("NAME=STORE")
        ->allow_extra_args(false);
    line.add_option("--lmstfy-accounts", how.lmstfy.accounts_file,
                    "Who may use the admin API: a file of lines that `errand token --scope admin` writes")
        ->type_name("FILE");
    line.add_option(
            "--lmstfy-default", given->job_defaults,
            "What a request of lmstfy's API means that does not say it: ttl=86400 (seconds), delay=0, tries=1, ttr=120 or "
            "timeout=0; may be given again")
        ->type_name("NAME=NUMBER")
        ->allow_extra_args(false);
    line.add_flag("--lmstfy-open-sizes", how.lmstfy.open_sizes,
                  "Sizes of lmstfy's queues are told without a token, as by lmstfy");
    line.add_option("--print", given->print, "Serves nothing: prints what can be asked of it")
        ->type_name("DOCUMENT")
        ->check(CLI::IsMember({"reference", "flow-reference", "openapi"}));
    return [given](session& on) { return serve(on, *given); };
}

}  // namespace errand::cli
