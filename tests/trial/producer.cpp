#include "trial/producer.hpp"

#include "trial/declarer.hpp"
#include "trial/gathered.hpp"
#include "trial/limiter.hpp"
#include "trial/novel.hpp"
#include "trial/shard.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <thread>

namespace trial {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using std::chrono::steady_clock;

namespace {

constexpr std::size_t remembered = 60;
constexpr int lanes = 16;
// Numbers are of one submission each; those of a biz_id are of several.
constexpr int of_many = 0;

volatile std::sig_atomic_t told_to_stop = 0;

int between(int from, int to, std::minstd_rand& random) {
    return std::uniform_int_distribution<int>{from, to}(random);
}

std::int64_t ms_of(steady_clock::time_point when) {
    return std::chrono::floor<std::chrono::milliseconds>(when.time_since_epoch()).count();
}

}  // namespace

producer::producer(const std::string& journal, unsigned seed, int first, int per_second)
    : book_{journal}, seed_{seed}, per_second_{per_second}, number_{first} {
    app_.provide_ref(book_);
    std::signal(SIGTERM, [](int) { told_to_stop = 1; });
}

void producer::run(const program& what) {
    std::vector<std::thread> all;
    for (unsigned at = 0; at < lanes; ++at) all.emplace_back([this, at] { lane(seed_ * 31 + at + 1); });
    all.emplace_back([this] { carry_out_when_due(); });
    if (const auto shards = app_.settings().shards; what.steady && shards > 1)
        all.emplace_back([this, shards] { app_.block_on(be_steady(shards)); });
    if (what.schedules) all.emplace_back([this] { recur(); });
    if (what.limits) all.emplace_back([this] { press_limits(); });
    for (auto& one : all) one.join();
}

void producer::press_limits() {
    limiter its{app_, book_, seed_ + 1, per_second_, [this] { return number_++; }};
    its.run([] { return told_to_stop != 0; });
}

void producer::recur() {
    declarer its{app_, book_, seed_, [this] { return number_++; }};
    its.run([] { return told_to_stop != 0; });
}

void producer::lane(unsigned seed) {
    dice random{seed};
    while (!told_to_stop) {
        const auto due = begin_ + ticks_++ * std::chrono::microseconds{1'000'000 / per_second_};
        // What could not be submitted while a store was away is not made up for: a heap of it would hide who is late afterwards.
        if (steady_clock::now() - due > 500ms) continue;
        std::this_thread::sleep_until(due);
        const bool silent = std::filesystem::exists(book_.path() + ".silent");
        if (!told_to_stop && !silent) one(random);
    }
}

template <class Handler, class... Args>
std::optional<producer::task> producer::submit(const errand::options& with, int number, Args... args) {
    const auto since = steady_clock::now();
    std::optional<task> accepted;
    try {
        accepted = app_.block_on(app_.handler<Handler>().with(with).perform_async(number, args...));
        // First: what is not known to be accepted, as its producer was killed between the two, is not judged.
        for (const auto& parent : with.after) book_.add("needs:" + parent.id(), accepted->id());
        book_.add("accepted", accepted->id(), number);
    } catch (const errand::error& e) {  // also: what it depends on was lost with the store
        std::fprintf(stderr, "hand: %s\n", e.what());
        book_.add("uncertain", "-", number);
    }
    // Dependencies are registered by calls of their own, each of which has so long.
    if (with.after.empty()) look_at_time(since, number);
    return accepted;
}

void producer::look_at_time(steady_clock::time_point since, int number) const {
    const auto over =
        std::chrono::floor<errand::duration>(steady_clock::now() - since) - app_.settings().store_timeout;
    if (over > errand::duration{0})
        book_.add("overdue", "-", number, static_cast<std::uint64_t>(over.count()));
}

void producer::remember(const task& accepted) {
    std::lock_guard lock{guard_};
    if (recent_.size() < remembered) return recent_.push_back(accepted);
    recent_[next_++ % remembered] = accepted;
}

void producer::one(dice& random) {
    const int which = between(1, 100, random);
    std::optional<task> accepted;
    if (which <= 8 && std::filesystem::exists(book_.path() + ".large")) {
        const auto length = static_cast<std::size_t>(between(most_text / 10, most_text, random));
        accepted = submit<large>({}, number_++, std::string(length, 'x'));
    } else if (which <= 16) {
        accepted = submit<novel>({}, number_++, between(0, 2, random));
    } else if (which <= 30) {
        accepted = submit<quick>({.priority = between(0, 9, random)}, number_++);
    } else if (which <= 40) {
        accepted = submit<slow>({}, number_++, errand::duration{between(20, 700, random)});
    } else if (which <= 50) {
        accepted = submit<failing>({}, number_++, between(1, 3, random));
    } else if (which <= 58) {
        accepted = submit<snoozing>({}, number_++);
    } else if (which <= 66) {
        accepted = submit<staged>({}, number_++);
    } else if (which <= 76) {
        delayed(random);
    } else if (which <= 84) {
        if (which > 81) return gather(random);
        // All producers name these alike.
        const auto key = "shared-" + std::to_string(ms_of(steady_clock::now()) / 100);
        accepted = submit<quick>({.biz_id = key}, of_many);
    } else if (which <= 86) {
        revived(random);
    } else if (which <= 90) {
        cancelled(random);
    } else if (which <= 91) {
        bulk(random);
    } else {
        depending(random);
    }
    if (accepted) remember(*accepted);
}

void producer::bulk(dice& random) {
    std::vector<std::tuple<int>> all;
    for (int left = between(5, 40, random); left > 0; --left) all.emplace_back(number_++);
    try {
        const auto handles = app_.block_on(app_.handler<quick>().perform_bulk(all));
        for (std::size_t at = 0; at < handles.size(); ++at)
            book_.add("accepted", handles[at].id(), std::get<0>(all[at]));
    } catch (const errand::error& e) {
        std::fprintf(stderr, "hand: %s\n", e.what());
        for (const auto& [number] : all) book_.add("uncertain", "-", number);
    }
}

void producer::gather(dice& random) {
    constexpr int keys = 3;
    std::vector<piece> all;
    const int key = between(1, keys, random);
    for (int left = between(1, 4, random); left > 0; --left) all.push_back({number_++, key});
    try {
        const auto handles = app_.block_on(app_.handler<gathered>().perform_bulk(all));
        for (std::size_t at = 0; at < handles.size(); ++at) {
            book_.add("gathers", handles[at].id(), all[at].number);
            book_.add("accepted", handles[at].id(), all[at].number);
        }
    } catch (const errand::error& e) {
        std::fprintf(stderr, "hand: %s\n", e.what());
        for (const auto& one : all) book_.add("uncertain", "-", one.number);
    }
}

void producer::delayed(dice& random) {
    const auto since = ms_of(steady_clock::now());
    const int delay = between(50, 1500, random);
    const auto h = submit<quick>({.delay = errand::duration{delay}}, number_++);
    if (h) book_.add("delayed", h->id(), delay, static_cast<std::uint64_t>(since));
}

void producer::depending(dice& random) {
    std::vector<task> parents;
    {
        std::lock_guard lock{guard_};
        std::ranges::sample(recent_, std::back_inserter(parents), between(1, 3, random), random);
    }
    errand::options with;
    for (const auto& parent : parents) with.after.emplace_back(parent);
    const auto h = submit<quick>(with, number_++);
    if (h) remember(*h);
}

errand::awaitable<void> producer::be_steady(std::size_t shards) {
    constexpr auto pace = 250ms;
    const auto executor = co_await asio::this_coro::executor;
    asio::steady_timer timer{executor};
    int tried = 0;
    for (auto due = begin_; !told_to_stop; due += pace) {
        timer.expires_at(due);
        co_await timer.async_wait(asio::use_awaitable);
        for (std::size_t shard = 0; shard < shards; ++shard) {
            std::string biz_id;
            errand::task_id id;
            do {
                biz_id = "steady-" + std::to_string(::getpid()) + '-' + std::to_string(tried++);
                id = errand::derive_task_id("trial::quick", biz_id);
            } while (errand::shards::shard_of(id, shards) != shard);
            book_.add("due", to_text(id), static_cast<int>(shard), static_cast<std::uint64_t>(ms_of(due)));
            ++steady_;
            asio::co_spawn(executor, submit_steadily(std::move(biz_id), number_++), asio::detached);
        }
    }
    while (steady_ > 0) {
        timer.expires_after(5ms);
        co_await timer.async_wait(asio::use_awaitable);
    }
}

errand::awaitable<void> producer::submit_steadily(std::string biz_id, int number) {
    const auto since = steady_clock::now();
    try {
        const auto h =
            co_await app_.handler<quick>().with({.biz_id = std::move(biz_id)}).perform_async(number);
        book_.add("accepted", h.id(), number);
    } catch (const errand::error& e) {
        std::fprintf(stderr, "hand: %s\n", e.what());
        book_.add("uncertain", "-", number);
    }
    look_at_time(since, number);
    --steady_;
}

void producer::cancelled(dice& random) {
    const auto h = submit<slow>({}, number_++, errand::duration{2000});
    if (!h) return;
    std::lock_guard lock{guard_};
    const auto when = steady_clock::now() + std::chrono::milliseconds{between(0, 800, random)};
    later_.push_back({when, &producer::cancel, *h});
}

// Half of those that end dead are given another life, in which they end so again.
void producer::revived(dice& random) {
    const auto h = submit<broken>({}, number_++);
    if (!h || between(1, 2, random) == 1) return;
    std::lock_guard lock{guard_};
    const auto when = steady_clock::now() + std::chrono::milliseconds{between(500, 3000, random)};
    later_.push_back({when, &producer::revive, *h});
}

void producer::cancel(const task& one) {
    if (app_.block_on(one.cancel())) book_.add("cancelled", one.id());
}

void producer::revive(const task& one) {
    const auto info = app_.block_on(app_.find(one.id()));
    if (!info || info->state != errand::state::dead) return;
    book_.add("reviving", one.id());
    if (app_.block_on(one.revive())) book_.add("revived", one.id());
}

void producer::carry_out_when_due() {
    for (;;) {
        std::optional<errand_later> due;
        {
            std::lock_guard lock{guard_};
            const auto now = steady_clock::now();
            const auto at = std::ranges::find_if(later_, [&](const auto& one) { return one.when <= now; });
            if (at != later_.end()) {
                due = *at;
                later_.erase(at);
            } else if (told_to_stop) {
                return;
            }
        }
        try {
            if (due) (this->*due->what)(due->to);
        } catch (const errand::error& e) {
            std::fprintf(stderr, "hand: %s\n", e.what());
        }
        if (!due) std::this_thread::sleep_for(5ms);
    }
}

}  // namespace trial
