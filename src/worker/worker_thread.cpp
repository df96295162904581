#include "worker/worker_thread.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>

namespace errand {

namespace asio = boost::asio;

worker_thread::worker_thread(worker_shared& shared, std::size_t count)
    : shared_{shared},
      thread_{shared.app},
      slots_{home().executor(), count},
      reporter_{shared, leased_},
      fetcher_{shared, home(), slots_, reporter_, [this] { changed_.open(); }},
      adopter_{shared, home(), slots_,
               [this] {
                   fetcher_.settled();
                   changed_.open();
               }},
      executor_{shared,
                home(),
                slots_,
                leased_,
                reporter_,
                [this] {
                    fetcher_.look();
                    adopter_.look();
                    if (executor_.idle()) changed_.open();
                }},
      changed_{home().executor()},
      grace_{home().executor()},
      patience_{home().executor()} {
    fetcher_.feeds(executor_);
    adopter_.feeds(executor_);
}

worker_thread::~worker_thread() { close(); }

awaitable<void> worker_thread::open() {
    co_await home().ready();
    home().worker_listens(this);
    fetcher_.start();
    adopter_.start();
}

void worker_thread::begin_to_drain() {
    asio::co_spawn(home().executor(), drain(), asio::detached);  // throws nothing
}

awaitable<void> worker_thread::drained() {
    while (!drained_) co_await changed_.wait();
}

awaitable<void> worker_thread::drain() {
    fetcher_.stop_claiming();
    adopter_.stop_claiming();
    executor_.stop_starting();
    leave_soon();
    set_grace(shared_.app.settings.shutdown_grace);
    while (!executor_.idle() && !hurry_) co_await changed_.wait();
    executor_.stop_running();
    while (!executor_.idle()) co_await changed_.wait();
    // A store that is away for longer than the lease gives the tasks to others anyway.
    hurry_ = false;
    set_grace(shared_.app.settings.lease);
    while ((!fetcher_.idle() || !adopter_.idle() || !left_) && !hurry_) co_await changed_.wait();
    grace_.cancel();
    drained_ = true;
    changed_.open();
}

// What was handed to this worker before it left has come when the store answers: it is still to be given back. A store
// that is away is not waited for.
void worker_thread::leave_soon() {
    const auto done = [this] {
        left_ = true;
        changed_.open();
    };
    asio::co_spawn(home().executor(), leave(shared_, home()), [done](const std::exception_ptr&) { done(); });
    patience_.expires_after(std::chrono::seconds{1});
    patience_.async_wait([done](const boost::system::error_code& ec) {
        if (!ec) done();
    });
}

void worker_thread::set_grace(duration length) {
    if (hurry_) return;
    grace_.expires_after(length);
    grace_.async_wait([this](const boost::system::error_code& ec) {
        if (ec) return;
        hurry_ = true;
        changed_.open();
    });
}

void worker_thread::hurry() {
    asio::post(home().context(), [this] {
        hurry_ = true;
        changed_.open();
    });
}

void worker_thread::told_aside() {
    asio::post(home().context(), [this] { adopter_.told(); });
}

// Others find out by themselves that this worker is gone; this only spares them the time.
awaitable<void> worker_thread::leave(worker_shared& shared, loop& home) {
    try {
        co_await home.tasks().leave(shared.queues.names());
    } catch (...) {
    }
    if (shared.claims_no_more) shared.claims_no_more();
}

void worker_thread::close() {
    thread_.close([this] {
        home().worker_listens(nullptr);
        grace_.cancel();
        patience_.cancel();
        executor_.close();
        fetcher_.stop();
        adopter_.stop();
    });
}

}  // namespace errand
