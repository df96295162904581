#include "worker/worker_thread.hpp"

#include "worker/reach.hpp"
#include "worker/side_by_side.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <functional>
#include <numeric>

namespace errand {

namespace asio = boost::asio;

namespace {

std::vector<int> weights_of(const worker_shares& served) {
    std::vector<int> weights;
    for (const auto& one : served) weights.push_back(one->weight);
    return weights;
}

}  // namespace

worker_thread::worker_thread(const worker_shares& served, std::size_t count)
    : shared_{*served.front()},
      thread_{shared_.app, loop_thread::for_users},
      slots_{home().executor(), count},
      changed_{home().executor()},
      grace_{home().executor()},
      patience_{home().executor()} {
    if (served.size() > 1) {
        shares_ = std::make_unique<slot_shares>(slots_, weights_of(served),
                                                [this](std::size_t whose) { stations_[whose].look(); });
    }
    for (std::size_t at = 0; at < served.size(); ++at) {
        loop& on = at == 0 ? home() : thread_.add(served[at]->app);
        stations_.emplace_back(*served[at], on, slots_, shares_.get(), at, [this] { changed_.open(); });
    }
}

worker_thread::~worker_thread() { close(); }

awaitable<void> worker_thread::connect() {
    std::vector<awaitable<void>> all;
    for (auto& one : stations_) all.push_back(reach(one.home(), one.app()));
    co_await side_by_side(home().executor(), std::move(all));
}

// None claims before all are connected: else the first would have all slots.
void worker_thread::begin() {
    for (auto& one : stations_) one.start();
    if (shares_) shares_->look();
}

void worker_thread::begin_to_drain() {
    asio::co_spawn(home().executor(), drain(), asio::detached);  // throws nothing
}

awaitable<void> worker_thread::drained() {
    while (!drained_) co_await changed_.wait();
}

std::pair<detail::app_core*, event> worker_thread::beginning(event_kind about) const {
    for (const auto& one : stations_) {
        if (auto said = one.runs().beginning(about)) return {&one.app(), std::move(*said)};
    }
    return {nullptr, event{.kind = about}};
}

std::string worker_thread::some_running() const {
    constexpr int most = 3;
    std::string words;
    int named = 0;
    for (const auto& one : stations_) {
        const auto some = one.runs().some_running();
        if (some.empty()) continue;
        if (++named > most) return words + "; and more";
        words += (words.empty() ? "" : "; ") + one.app().label() + some;
    }
    return words;
}

bool worker_thread::is_idle() const {
    return std::ranges::all_of(stations_, [](const station& one) { return one.is_idle(); });
}

bool worker_thread::is_quiet() const {
    return staying_ == 0 && std::ranges::all_of(stations_, [](const station& one) { return one.is_quiet(); });
}

std::size_t worker_thread::running() const noexcept {
    return std::transform_reduce(stations_.begin(), stations_.end(), std::size_t{0}, std::plus<>{},
                                 [](const station& one) { return one.running(); });
}

std::size_t worker_thread::reports_pending() const noexcept {
    return std::transform_reduce(stations_.begin(), stations_.end(), std::size_t{0}, std::plus<>{},
                                 [](const station& one) { return one.reports_pending(); });
}

awaitable<void> worker_thread::drain() {
    for (auto& one : stations_) one.stop_claiming();
    leave_soon();
    set_grace(shared_.app.settings.shutdown_grace);
    while (!is_idle() && !hurry_) co_await changed_.wait();
    for (auto& one : stations_) one.stop_running();
    while (!is_idle()) co_await changed_.wait();
    // A store that is away for longer than the lease gives the tasks to others anyway.
    hurry_ = false;
    set_grace(shared_.app.settings.lease);
    while (!is_quiet() && !hurry_) co_await changed_.wait();
    grace_.cancel();
    drained_ = true;
    changed_.open();
}

// What was handed to this worker before it left has come when the store answers: it is still to be given back. A store
// that is away is not waited for.
void worker_thread::leave_soon() {
    staying_ = stations_.size();
    for (auto& one : stations_) {
        one.leave([this] {
            if (staying_ > 0) --staying_;
            changed_.open();
        });
    }
    patience_.expires_after(std::chrono::seconds{1});
    patience_.async_wait([this](const boost::system::error_code& ec) {
        if (ec) return;
        staying_ = 0;
        changed_.open();
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

void worker_thread::close() {
    thread_.close([this] {
        grace_.cancel();
        patience_.cancel();
        for (auto& one : stations_) one.close();
    });
}

}  // namespace errand
