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
    if (closed_) return;
    std::map<std::size_t, std::vector<delivered_task>> by_shard;
    for (auto& one : tasks) by_shard[in.shard_of(one.id)].push_back(std::move(one));
    for (auto& [shard, some] : by_shard) {
        auto& its = lines_.try_emplace(shard, executor_).first->second;
        add(its, std::move(some));
        if (std::exchange(its.running, true)) continue;
        asio::co_spawn(executor_, run(shared_from_this(), in, its), asio::detached);  // throws nothing
    }
}

void forgetter::close() {
    closed_ = true;
    for (auto& [shard, one] : lines_) one.timer.cancel();
}

void forgetter::add(line& to, std::vector<delivered_task> tasks) {
    const auto when = clock::now() + after_;
    to.count += tasks.size();
    // Who brings one by one makes no page of each. They are forgotten when the last one of them may be.
    if (!to.pages.empty() && to.pages.back().second.size() + tasks.size() <= tasks_per_page) {
        auto& [due, page] = to.pages.back();
        due = when;
        page.insert(page.end(), tasks.begin(), tasks.end());
    } else {
        to.pages.emplace_back(when, std::move(tasks));
    }
    drop_oldest();
}

std::vector<delivered_task> forgetter::take_first(line& from) {
    auto tasks = std::move(from.pages.front().second);
    from.pages.pop_front();
    from.count -= tasks.size();
    return tasks;
}

// Of the shard that has most, which may be away.
void forgetter::drop_oldest() {
    for (;;) {
        std::size_t all = 0;
        line* longest = nullptr;
        for (auto& [shard, one] : lines_) {
            all += one.count;
            if (!longest || one.count > longest->count) longest = &one;
        }
        if (all <= most_to_forget) return;
        take_first(*longest);
    }
}

awaitable<void> forgetter::rest_until(line& of, clock::time_point then) const {
    if (closed_) co_return;
    of.timer.expires_at(then);
    co_await of.timer.async_wait(asio::as_tuple(asio::use_awaitable));
}

// What comes of it is nobody's failure: they are tried again, and in the end the store drops them by itself.
awaitable<void> forgetter::run([[maybe_unused]] std::shared_ptr<forgetter> self, store& in, line& of) {
    while (!closed_ && !of.pages.empty()) {
        if (const auto due = of.pages.front().first; due > clock::now()) {
            co_await rest_until(of, due);
            continue;
        }
        auto tasks = take_first(of);
        bool failed = false;
        try {
            co_await in.forget(tasks);
        } catch (...) {
            failed = true;
        }
        if (!failed) continue;
        add(of, std::move(tasks));
        co_await rest_until(of, clock::now() + pause_after_failure);
    }
    of.running = false;
}

}  // namespace errand::shelf
