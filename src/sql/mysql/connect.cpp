#include "sql/mysql/connect.hpp"

#include <errand/error.hpp>

#include "sql/request_thread.hpp"
#include "sql/statement_text.hpp"

#include <boost/asio/cancel_after.hpp>
#include <boost/asio/cancel_at.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/mysql/results.hpp>
#include <boost/system/system_error.hpp>

namespace errand::mysql {
namespace {

namespace asio = boost::asio;
namespace db = boost::mysql;
using std::chrono::steady_clock;

std::shared_ptr<asio::ssl::context> tls_of(const address& to) {
    if (!to.tls) return nullptr;
    auto tls = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_client);
    boost::system::error_code failed;
    if (to.ca_file.empty()) {
        tls->set_default_verify_paths(failed);
    } else {
        tls->load_verify_file(to.ca_file, failed);
        if (failed) {
            throw usage_error{"the database's URL names a file of authorities (ca) that cannot be read: " +
                              to.ca_file};
        }
    }
    tls->set_verify_mode(to.verify ? asio::ssl::verify_peer : asio::ssl::verify_none);
    if (to.verify) tls->set_verify_callback(asio::ssl::host_name_verification{to.host});
    return tls;
}

db::connect_params params_of(const address& to) {
    db::connect_params params;
    if (to.socket.empty()) {
        params.server_address = db::host_and_port{to.host, to.port};
    } else {
        params.server_address = db::unix_path{to.socket};
    }
    params.username = to.user;
    params.password = to.password;
    params.database = to.database;
    params.ssl = to.tls ? db::ssl_mode::require : db::ssl_mode::disable;
    return params;
}

std::string cause(const boost::system::error_code& failed, const db::diagnostics& said) {
    if (!said.server_message().empty()) return sql::one_line(said.server_message());
    return failed.message();
}

}  // namespace

std::shared_ptr<const destination> destination_of(address to) {
    auto tls = tls_of(to);
    return std::make_shared<const destination>(destination{std::move(to), std::move(tls)});
}

awaitable<std::unique_ptr<db::any_connection>> connect(asio::any_io_executor on, const destination& there) {
    const auto until = steady_clock::now() + there.to.connect_timeout;
    db::any_connection_params how;
    how.ssl_context = there.tls.get();
    auto made = std::make_unique<db::any_connection>(on, how);
    made->set_meta_mode(db::metadata_mode::full);  // with the names of columns
    const auto params = params_of(there.to);
    db::diagnostics said;
    const auto [failed] = co_await made->async_connect(params, said, asio::cancel_at(until, token));
    if (!failed) co_return made;
    const bool stopped = failed == asio::error::operation_aborted;
    if (stopped && steady_clock::now() < until)
        throw boost::system::system_error{boost::asio::error::operation_aborted};
    throw store_error{"cannot connect to " + there.to.shown + ": " +
                      (stopped ? "no answer in time" : cause(failed, said))};
}

namespace {

awaitable<void> kill_by(asio::any_io_executor on, std::shared_ptr<const destination> there,
                        std::uint32_t connection) {
    const auto made = co_await connect(on, *there);
    const auto statement = "KILL " + std::to_string(connection);
    db::results nothing;
    db::diagnostics said;
    co_await made->async_execute(statement, nothing, said,
                                 asio::cancel_after(std::chrono::seconds{10}, token));
    co_await made->async_close(said, asio::cancel_after(std::chrono::seconds{10}, token));
}

void kill_now(const std::shared_ptr<const destination>& there, std::uint32_t connection) {
    asio::io_context here{1};
    asio::co_spawn(here, kill_by(here.get_executor(), there, connection), [](std::exception_ptr) {});
    here.run();
}

}  // namespace

void kill(std::shared_ptr<const destination> there, std::uint32_t connection) noexcept {
    sql::on_request_thread([there = std::move(there), connection] {
        try {
            kill_now(there, connection);
        } catch (...) {
            // Out of memory: the server finds out when the connection closes.
        }
    });
}

}  // namespace errand::mysql
