// leaver URL PIDFILE: cancels a statement on a PostgreSQL that it has frozen, and ends.
#include "sql/postgres/driver.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <csignal>
#include <fstream>
#include <thread>

namespace asio = boost::asio;

int main(int count, char** words) {
    if (count != 3) return 2;
    asio::io_context io{1};
    errand::postgres::driver driver{words[1]};
    std::unique_ptr<errand::sql::session> session;
    asio::co_spawn(io, driver.connect(io), [&](std::exception_ptr, auto made) { session = std::move(made); });
    io.run();
    if (!session) return 3;
    bool aborted = false;
    asio::cancellation_signal signal;
    asio::co_spawn(io, session->run("SELECT pg_sleep(600)", {}),
                   asio::bind_cancellation_slot(signal.slot(), [&](std::exception_ptr why, const auto&) {
                       aborted = bool{why};
                   }));
    io.restart();
    io.run_for(std::chrono::milliseconds{100});
    pid_t server = 0;
    std::ifstream{words[2]} >> server;
    if (server <= 0 || ::kill(server, SIGSTOP) != 0) return 4;
    signal.emit(asio::cancellation_type::all);
    io.restart();
    io.run_for(std::chrono::seconds{10});
    // The request is under way.
    std::this_thread::sleep_for(std::chrono::milliseconds{300});
    return aborted ? 0 : 5;
}
