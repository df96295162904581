#include "worker/station.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>

#include <utility>

namespace errand {

namespace asio = boost::asio;

station::station(worker_shared& shared, loop& on, slot_pool& slots, slot_shares* shares, std::size_t whose,
                 std::function<void()> changed)
    : shared_{shared},
      home_{on},
      share_{shares ? slot_share{slots, *shares, whose} : slot_share{slots}},
      changed_{std::move(changed)},
      reporter_{shared, leased_},
      fetcher_{shared, on, share_, reporter_,
               [this] {
                   // What a claim had reserved may be free again.
                   adopter_.look();
                   changed_();
               }},
      adopter_{shared, on, share_,
               [this] {
                   fetcher_.settled();
                   changed_();
               }},
      executor_{shared, on, slots, leased_, reporter_, [this] {
                    share_.look();
                    fetcher_.look();
                    adopter_.look();
                    if (executor_.idle()) changed_();
                }} {
    fetcher_.feeds(executor_);
    adopter_.feeds(executor_);
}

station::~station() = default;

void station::start() {
    home_.worker_listens(this);
    fetcher_.start();
    adopter_.start();
}

void station::look() {
    fetcher_.look();
    adopter_.look();
}

void station::stop_claiming() {
    fetcher_.stop_claiming();
    adopter_.stop_claiming();
    executor_.stop_starting();
}

void station::leave(std::function<void()> done) {
    asio::co_spawn(home_.executor(), say_farewell(shared_, home_),
                   [done = std::move(done)](const std::exception_ptr&) { done(); });
}

// Others find out by themselves that this worker is gone; this only spares them the time.
awaitable<void> station::say_farewell(worker_shared& shared, loop& home) {
    try {
        co_await home.tasks().leave(shared.queues.names());
    } catch (...) {
    }
    if (shared.claims_no_more) shared.claims_no_more();
}

void station::told_aside() {
    asio::post(home_.context(), [this] { adopter_.told(); });
}

void station::close() {
    home_.worker_listens(nullptr);
    executor_.close();
    fetcher_.stop();
    adopter_.stop();
}

}  // namespace errand
