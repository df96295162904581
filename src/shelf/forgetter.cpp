#include "shelf/forgetter.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace errand::shelf {

namespace asio = boost::asio;

namespace {
constexpr std::size_t tasks_per_page = 500;
// Of 24 bytes each; more than comes within the time after which they are forgotten.
constexpr std::size_t most_to_forget = 5'000'000;
constexpr std::chrono::seconds pause_after_failure{1};
}  // namespace

void forgetter::later(store& in, std::vector<delivered_task> tasks) {
    if (tasks.empty() || closed_) return;
    add(std::move(tasks));
    if (std::exchange(running_, true)) return;
    asio::co_spawn(executor_, run(shared_from_this(), in), asio::detached);  // throws nothing
}

void forgetter::close() {
    closed_ = true;
    timer_.cancel();
}

void forgetter::add(std::vector<delivered_task> tasks) {
    const auto when = clock::now() + after_;
    count_ += tasks.size();
    // Who brings one by one makes no page of each. They are forgotten when the last one of them may be.
    if (!pages_.empty() && pages_.back().second.size() + tasks.size() <= tasks_per_page) {
        auto& [due, page] = pages_.back();
        due = when;
        page.insert(page.end(), tasks.begin(), tasks.end());
    } else {
        pages_.emplace_back(when, std::move(tasks));
    }
    while (count_ > most_to_forget) {
        count_ -= pages_.front().second.size();
        pages_.pop_front();
    }
}

awaitable<void> forgetter::rest_until(clock::time_point then) {
    if (closed_) co_return;
    timer_.expires_at(then);
    co_await timer_.async_wait(asio::as_tuple(asio::use_awaitable));
}

// What comes of it is nobody's failure: they are tried again, and in the end the store drops them by itself.
awaitable<void> forgetter::run([[maybe_unused]] std::shared_ptr<forgetter> self, store& in) {
    while (!closed_ && !pages_.empty()) {
        if (const auto due = pages_.front().first; due > clock::now()) {
            co_await rest_until(due);
            continue;
        }
        auto tasks = std::move(pages_.front().second);
        pages_.pop_front();
        count_ -= tasks.size();
        bool failed = false;
        try {
            co_await in.forget(tasks);
        } catch (...) {
            failed = true;
        }
        if (!failed) continue;
        add(std::move(tasks));
        co_await rest_until(clock::now() + pause_after_failure);
    }
    running_ = false;
}

}  // namespace errand::shelf
