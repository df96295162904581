#include "sql/postgres/connect.hpp"

#include <errand/error.hpp>

#include "sql/postgres/socket_watch.hpp"
#include "sql/statement_text.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/cancel_at.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <string>
#include <vector>

namespace errand::postgres {
namespace {

namespace asio = boost::asio;
using settings = std::map<std::string, std::string>;
using time = std::chrono::steady_clock::time_point;

[[noreturn]] void fail(const address& to, const std::string& why) {
    throw store_error{"cannot connect to " + to.shown + ": " + why};
}

std::vector<std::string> parts(const std::string& list) {
    std::vector<std::string> all;
    for (std::size_t at = 0;;) {
        const auto comma = list.find(',', at);
        all.push_back(list.substr(at, comma - at));
        if (comma == list.npos) return all;
        at = comma + 1;
    }
}

std::string joined(const std::vector<std::string>& all) {
    std::string list;
    for (const auto& one : all) list += (&one == all.data() ? "" : ",") + one;
    return list;
}

// The host's addresses; none when it is a folder or unknown: libpq says that better.
awaitable<std::vector<std::string>> addresses_of(asio::io_context& on, const std::string& host, time until) {
    std::vector<std::string> found;
    if (host.empty() || host.starts_with('/') || host.starts_with('@')) co_return found;
    asio::ip::tcp::resolver resolver{on};
    const auto [failed, entries] =
        co_await resolver.async_resolve(host, "",
                                        asio::cancel_at(until, asio::as_tuple(asio::use_awaitable)));
    if (failed == asio::error::operation_aborted && std::chrono::steady_clock::now() < until)
        throw boost::system::system_error{boost::asio::error::operation_aborted};
    if (failed) throw store_error{"the host \"" + host + "\" has no address: " + failed.message()};
    for (const auto& entry : entries) found.push_back(entry.endpoint().address().to_string());
    co_return found;
}

// libpq looks up names in a way that blocks, so it is given their addresses: one entry of its lists for each address.
awaitable<void> look_up(asio::io_context& on, settings& with, time until) {
    if (!with.contains("host") || with.contains("hostaddr")) co_return;
    const auto names = parts(with["host"]);
    const auto given = parts(with.contains("port") ? with["port"] : "");
    std::vector<std::string> hosts;
    std::vector<std::string> ports;
    std::vector<std::string> addresses;
    for (std::size_t at = 0; at < names.size(); ++at) {
        auto found = co_await addresses_of(on, names[at], until);
        if (found.empty()) found.emplace_back();
        for (auto& one : found) {
            hosts.push_back(names[at]);
            ports.push_back(given.size() == 1 ? given[0] : at < given.size() ? given[at] : "");
            addresses.push_back(std::move(one));
        }
    }
    with["host"] = joined(hosts);
    with["hostaddr"] = joined(addresses);
    if (with.contains("port")) with["port"] = joined(ports);
}

connection_ptr started(const settings& with) {
    std::vector<const char*> words;
    std::vector<const char*> values;
    for (const auto& [word, value] : with) {
        words.push_back(word.c_str());
        values.push_back(value.c_str());
    }
    words.push_back(nullptr);
    values.push_back(nullptr);
    return connection_ptr{PQconnectStartParams(words.data(), values.data(), 0)};
}

std::string cause(PGconn* connection) { return sql::one_line(PQerrorMessage(connection)); }

awaitable<void> finish(asio::io_context& on, PGconn* connection, const address& to, time until) {
    socket_watch socket{on.get_executor()};
    auto wants = PGRES_POLLING_WRITING;
    while (wants != PGRES_POLLING_OK) {
        if (wants == PGRES_POLLING_FAILED || PQsocket(connection) < 0) fail(to, cause(connection));
        // Each step may have closed one socket and opened another, with the same number.
        socket.watch(PQsocket(connection));
        if (!co_await socket.ready(wants == PGRES_POLLING_READING, until)) fail(to, "no answer in time");
        wants = PQconnectPoll(connection);
    }
}

}  // namespace

awaitable<connection_ptr> connect(asio::io_context& on, const address& to) {
    const auto until = std::chrono::steady_clock::now() + to.connect_timeout;
    auto with = to.settings;
    try {
        co_await look_up(on, with, until);
    } catch (const store_error& e) {
        fail(to, e.what());
    }
    auto made = started(with);
    if (!made) fail(to, "no memory");
    if (PQstatus(made.get()) == CONNECTION_BAD) fail(to, cause(made.get()));
    co_await finish(on, made.get(), to, until);
    PQsetnonblocking(made.get(), 1);
    // A server's notices ("relation already exists, skipping") are for people at a terminal.
    PQsetNoticeReceiver(made.get(), [](void*, const PGresult*) {}, nullptr);
    co_return made;
}

}  // namespace errand::postgres
