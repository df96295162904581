#include "shelf_trial/yard.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <future>
#include <string>
#include <unistd.h>
#include <vector>

namespace shelf_trial {

using namespace std::chrono_literals;
namespace asio = boost::asio;

namespace {

errand::time_point now() { return std::chrono::floor<errand::duration>(std::chrono::system_clock::now()); }
std::int64_t ms_of(errand::time_point at) { return at.time_since_epoch().count(); }

errand::awaitable<void> tell(const journal& to, std::int64_t number, std::int64_t due) {
    auto& self = co_await errand::this_task();
    to.say(journal::ran, number, self.attempt(), ms_of(now()) - due);
}

}  // namespace

journal::journal(const std::string& path)
    : file_{::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600)} {
    if (file_ < 0) std::abort();
}

journal::~journal() { ::close(file_); }

void journal::say(char what, std::int64_t number, std::int64_t attempt, std::int64_t late) const {
    const auto line = std::string{what} + ' ' + std::to_string(number) + ' ' + std::to_string(attempt) + ' ' +
                      std::to_string(late) + '\n';
    if (::write(file_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) std::abort();
}

errand::awaitable<void> later::perform(std::int64_t number, std::int64_t due) {
    return tell(to_, number, due);
}
errand::awaitable<void> named_later::perform(std::int64_t number, std::int64_t due) {
    return tell(to_, number, due);
}
std::string named_later::biz_id(std::int64_t number, std::int64_t) { return std::to_string(number); }

errand::config settings_of(const place& in) {
    errand::config settings;
    settings.store = in.store;
    settings.shelf = in.shelf;
    settings.shelf_ahead = 1s;
    settings.name_space = "trial";
    settings.lease = 2s;
    settings.log_level = "off";
    return settings;
}

namespace {

// What the clerks see with: what is on the shelf as well, and the store alone.
struct desk {
    explicit desk(const place& in) : app{settings_of(in)}, blind{without_shelf(in)} {}

    static errand::config without_shelf(const place& in) {
        auto settings = settings_of(in);
        settings.shelf.clear();
        return settings;
    }

    errand::app app, blind;
};

template <class Handler>
errand::awaitable<void> submit(desk& at, const journal& to, std::int64_t number) {
    const auto due = now() + 2s + std::chrono::milliseconds{number * 37 % 4000};
    try {
        const auto h = co_await at.app.handler<Handler>().perform_at(due, number, ms_of(due));
        to.say(journal::accepted, number);
        if (number % 10 == 1) {
            const auto in_store = co_await at.blind.find(h.id());
            if (!in_store && now() < due - 1s) to.say(journal::shelved, number);
        }
        if (number % 5 != 0) co_return;
        to.say(journal::to_be_cancelled, number);
        const bool done = co_await h.cancel();
        // Else a worker may have begun it already.
        if (done && now() < due - 1s) to.say(journal::cancelled, number);
    } catch (const errand::error&) {
        // Whether it was accepted nobody was told.
    }
}

errand::awaitable<void> lane(desk& at, const journal& to, std::atomic<std::int64_t>& next, std::int64_t end) {
    for (auto number = next++; number < end; number = next++) {
        if (number % 3 == 0) {
            co_await submit<named_later>(at, to, number);
        } else {
            co_await submit<later>(at, to, number);
        }
    }
}

}  // namespace

int run_clerk(const place& in, std::int64_t first, int tasks) {
    desk here{in};
    const journal to{in.journal};
    asio::thread_pool pool{2};
    std::atomic<std::int64_t> next{first};
    std::vector<std::future<void>> ends;
    for (int lanes = 0; lanes < 8; ++lanes)
        ends.push_back(asio::co_spawn(pool.get_executor(), lane(here, to, next, first + tasks),
                                      asio::use_future));
    for (auto& end : ends) end.get();
    pool.join();
    return 0;
}

int run_worker(const place& in) {
    errand::app app{settings_of(in)};
    app.provide<journal>(in.journal);
    return app.run();
}

}  // namespace shelf_trial

ERRAND_DEFINE_HANDLER(shelf_trial::later)
ERRAND_DEFINE_HANDLER(shelf_trial::named_later)
