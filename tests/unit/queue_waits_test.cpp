// Of which queues a claim asks: those of which the worker was told, as long as it waits in all others.
#include "store/redis/queue_waits.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <random>
#include <utility>

using errand::redis::queue_waits;

namespace {

using names = std::vector<std::string_view>;

const std::vector<std::string> abc{"a", "b", "c"};

// A worker that waits in all of them.
queue_waits waiting() {
    queue_waits waits;
    CHECK(waits.answered(waits.asks(abc, false), false));
    return waits;
}

}  // namespace

TEST_CASE("who waits in all queues asks those alone of which it was told, in the order of its claim") {
    auto waits = waiting();
    CHECK(waits.to_ask(abc).empty());
    waits.told("c");
    CHECK(waits.to_ask(abc) == names{"c"});
    waits.told("a");
    waits.told("c");
    CHECK(waits.to_ask(abc) == names{"a", "c"});
    CHECK(waits.answered(waits.asks(abc, true), false));
    CHECK(waits.to_ask(abc).empty());
    waits.told("b");
    CHECK(waits.to_ask(abc) == names{"b"});
}

TEST_CASE("all queues are asked when nobody knows of which a worker was taken off") {
    auto waits = waiting();
    waits.told("a");
    SECTION("a message names none") { waits.told(""); }
    SECTION("messages may be lost") { waits.forget(); }
    SECTION("a claim of all of them was filled") { CHECK(waits.answered(waits.asks(abc, false), true)); }
    SECTION("it is not one of its queues") {
        waits = waiting();
        waits.told("z");
    }
    CHECK(waits.to_ask(abc).empty());
}

TEST_CASE("what a worker is told while a claim is under way is asked by the next one") {
    auto waits = waiting();
    waits.told("a");
    auto first = waits.asks(abc, true);
    SECTION("of the same queue") {
        waits.told("a");
        CHECK(waits.answered(first, false));
        CHECK(waits.to_ask(abc) == names{"a"});
    }
    SECTION("of another one") {
        waits.told("b");
        CHECK(waits.answered(first, false));
        CHECK(waits.to_ask(abc) == names{"b"});
    }
    SECTION("during one of all queues") {
        first = waits.asks(abc, false);
        waits.told("b");
        CHECK(waits.answered(first, false));
        CHECK(waits.to_ask(abc) == names{"b"});
    }
}

TEST_CASE("a claim of some queues that is filled is followed by one of all") {
    auto waits = waiting();
    waits.told("a");
    CHECK_FALSE(waits.answered(waits.asks(abc, true), true));
    CHECK(waits.to_ask(abc).empty());
    CHECK(waits.answered(waits.asks(abc, false), false));
    waits.told("b");
    CHECK(waits.to_ask(abc) == names{"b"});
}

TEST_CASE("an answer that comes after what makes it untrue is not believed") {
    auto waits = waiting();
    const auto first = waits.asks(abc, false);
    SECTION("the connection was lost") { waits.forget(); }
    SECTION("a later claim took the worker off") { CHECK(waits.answered(waits.asks(abc, false), true)); }
    CHECK_FALSE(waits.answered(first, false));
    waits.told("a");
    CHECK(waits.to_ask(abc).empty());
}

TEST_CASE("an answer of some queues does not hide that a claim of all has taken the worker off") {
    auto waits = waiting();
    waits.told("a");
    const auto all = waits.asks(abc, false);
    const auto some = waits.asks(abc, true);
    CHECK(waits.answered(all, true));
    CHECK_FALSE(waits.answered(some, false));
}

TEST_CASE("an earlier claim that was filled takes nothing from a later one that found all empty") {
    auto waits = waiting();
    const auto first = waits.asks(abc, false);
    const auto second = waits.asks(abc, false);
    CHECK(waits.answered(first, true));
    CHECK(waits.answered(second, false));
    waits.told("a");
    CHECK(waits.to_ask(abc) == names{"a"});
}

// ---- that nobody becomes deaf -----------------------------------------------------------------------

namespace {

// How what is to be found out might be broken.
enum class fault : std::uint8_t { none, forgets_names, trusts_cuts, half_is_all };

// A worker, its connection and a store of one worker, each of which does its next step whenever chance says so. Nobody looks by
// itself, and nobody else takes a task: what the worker does not hear of stays.
class fleet {
public:
    fleet(unsigned seed, fault broken) : random_{seed}, broken_{broken} {}

    // Some trouble, then nothing comes any more and whatever can move does: each time all tasks are taken then, and it waits everywhere.
    bool run() {
        for (int round = 0; round < 40; ++round) {
            for (int i = 0; i < 25; ++i) step(true);
            for (int i = 0; i < 1'000; ++i) step(false);
            const bool heard = std::ranges::all_of(ready_, [](int one) { return one == 0; }) &&
                               std::ranges::all_of(idle_, [](bool one) { return one; });
            if (!heard) return false;
        }
        return true;
    }
    int narrow() const { return narrow_; }

private:
    static constexpr std::size_t queues = 4;
    static constexpr int slots = 6;

    struct call {
        bool under_way = false, done = false;
        bool some = false, filled = false;
        queue_waits::question question;
        std::vector<std::size_t> asked;
        int limit = 0, most = 0, got = 0;
        unsigned wakes_before = 0;
        unsigned sent_as = 0;
    };
    struct message {
        std::size_t queue = 0;
        bool names = true, hands = false;
    };

    std::size_t draw(std::size_t below) {
        return std::uniform_int_distribution<std::size_t>{0, below - 1}(random_);
    }

    void step(bool troubled) {
        switch (draw(troubled ? 9 : 7)) {
        case 0:
        case 1: send(lanes_[draw(2)]); break;
        case 2: serve(); break;
        case 3:
        case 4: learn(lanes_[draw(2)]); break;
        case 5: hear(); break;
        case 6: taken_ -= taken_ > 0 ? 1 : 0; break;
        default:
            if (draw(8) == 0)
                cut();
            else
                submit(draw(queues), draw(8) == 0 ? 5 : 1);
        }
    }

    // ---- the store
    void wake(std::size_t queue) {
        if (!std::exchange(idle_[queue], false)) return;
        messages_.push_back({.queue = queue, .names = draw(50) != 0});
    }
    void submit(std::size_t queue, int count) {
        if (count == 1 && idle_[queue] && ready_[queue] == 0 && draw(2) == 0) {
            idle_[queue] = false;
            messages_.push_back({.queue = queue, .hands = true});
            return;
        }
        ready_[queue] += count;
        wake(queue);
    }
    // Calls are done in the order in which they were sent.
    void serve() {
        call* next = nullptr;
        for (auto& one : lanes_) {
            if (one.under_way && !one.done && (!next || one.sent_as < next->sent_as)) next = &one;
        }
        if (!next) return;
        for (const auto queue : next->asked) {
            const int more = std::min(ready_[queue], next->most - next->got);
            ready_[queue] -= more;
            next->got += more;
        }
        next->filled = next->got == next->most;
        next->done = true;
        for (const auto queue : next->asked) idle_[queue] = !next->filled;
    }

    // ---- the worker
    void woken() {
        ++wakes_;
        hungry_ = true;
    }
    void send(call& by) {
        const int free = slots - taken_ - reserved_;
        if (by.under_way || !hungry_ || free == 0) return;
        const auto some = free > 1 ? waits_.to_ask(all_) : names{};
        by = {};
        by.under_way = true;
        by.some = !some.empty();
        narrow_ += by.some ? 1 : 0;
        by.limit = free;
        by.most = by.some ? (free + 1) / 2 : free;
        by.question = waits_.asks(all_, by.some);
        by.wakes_before = wakes_;
        by.sent_as = ++sent_;
        for (std::size_t at = 0; at < queues; ++at) {
            if (!by.some || std::ranges::find(some, all_[at]) != some.end()) by.asked.push_back(at);
        }
        std::ranges::shuffle(by.asked, random_);
        reserved_ += by.limit;
    }
    // Answers come in any order, as when replicas are waited for.
    void learn(call& of) {
        if (!of.under_way || !of.done) return;
        of.under_way = false;
        reserved_ -= of.limit;
        taken_ += of.got;
        auto question = of.question;
        if (broken_ == fault::forgets_names) question.at = waits_.asks(all_, false).at;
        const bool filled = of.filled && !(of.some && broken_ == fault::half_is_all);
        if (!waits_.answered(question, filled)) woken();
        hungry_ = of.got == of.limit || wakes_ != of.wakes_before;
    }
    void hear() {
        if (messages_.empty()) return;
        const auto one = messages_.front();
        messages_.pop_front();
        waits_.told(one.names ? all_[one.queue] : std::string{});
        woken();
        if (!one.hands) return;
        if (taken_ + reserved_ < slots) {
            ++taken_;
            return;
        }
        ++ready_[one.queue];
        wake(one.queue);
    }
    // What was handed over comes back when its lease is over. Calls that were not answered are made again, and those that were done
    // are answered from memory.
    void cut() {
        for (const auto& one : messages_) ready_[one.queue] += one.hands ? 1 : 0;
        messages_.clear();
        if (broken_ != fault::trusts_cuts) waits_.forget();
        woken();
    }

    std::mt19937 random_;
    fault broken_;
    const std::vector<std::string> all_{"a", "b", "c", "d"};
    std::array<int, queues> ready_{};
    std::array<bool, queues> idle_{};
    std::deque<message> messages_;
    std::array<call, 2> lanes_;
    queue_waits waits_;
    bool hungry_ = true;
    unsigned wakes_ = 0, sent_ = 0;
    int taken_ = 0, reserved_ = 0, narrow_ = 0;
};

int deaf_ones(fault broken) {
    int deaf = 0;
    for (unsigned seed = 1; seed <= 100; ++seed) deaf += fleet{seed, broken}.run() ? 0 : 1;
    return deaf;
}

}  // namespace

TEST_CASE(
    "whatever comes in which order, a worker that asks some queues takes all tasks and waits everywhere in the end") {
    int narrow = 0;
    for (unsigned seed = 1; seed <= 300; ++seed) {
        INFO("seed " << seed);
        fleet one{seed, fault::none};
        REQUIRE(one.run());
        narrow += one.narrow();
    }
    CHECK(narrow > 1'000);
}

TEST_CASE("a worker that becomes deaf is noticed") {
    for (const auto broken : {fault::forgets_names, fault::trusts_cuts, fault::half_is_all}) {
        INFO("fault " << static_cast<int>(broken));
        CHECK(deaf_ones(broken) > 0);
    }
}
