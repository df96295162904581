// Collected items under the harness: the clock that it moves is what bundles wait for.
#include "testing/handlers.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace harness_test;
using lines = std::vector<std::string>;

namespace harness_test {

// Of each run the texts that it was given.
class gather_lines {
public:
    explicit gather_lines(diary& d) : diary_{d} {}
    errand::awaitable<std::vector<int>> perform(std::vector<std::string> texts) {
        auto& self = co_await errand::this_task();
        std::string all;
        std::vector<int> sizes;
        for (std::size_t at = 0; at < texts.size(); ++at) {
            all += texts[at];
            sizes.push_back(static_cast<int>(texts[at].size()));
            if (texts[at] == "bad" && self.attempt() == 1 && texts.size() > 1)
                self.fail_item(at, "not in company");
        }
        diary_.lines.push_back(all);
        co_return sizes;
    }

private:
    diary& diary_;
};

// A hundred at most, or what has come 200 ms after the last one.
class gather_numbers {
public:
    explicit gather_numbers(diary& d) : diary_{d} {}
    errand::awaitable<void> perform(std::vector<int> numbers) {
        diary_.lines.push_back(std::to_string(numbers.size()));
        co_return;
    }

private:
    diary& diary_;
};

// What has come within 600 ms of each other; an item waits for a second at most.
class gather_fresh {
public:
    explicit gather_fresh(diary& d) : diary_{d} {}
    errand::awaitable<void> perform(std::vector<std::string> texts) {
        std::string all;
        for (const auto& one : texts) all += one;
        diary_.lines.push_back(all);
        co_return;
    }

private:
    diary& diary_;
};

}  // namespace harness_test

ERRAND_HANDLER(harness_test::gather_fresh, .expires_after = std::chrono::seconds{1},
               .collect = errand::collect_rule{.grace = std::chrono::milliseconds{600}})
ERRAND_HANDLER(harness_test::gather_numbers,
               .collect = errand::collect_rule{.max_size = 100, .grace = std::chrono::milliseconds{200}})
ERRAND_HANDLER(harness_test::gather_lines, .backoff = errand::backoff::uniform(std::chrono::seconds{10}),
               .collect = errand::collect_rule{
                   .max_size = 4, .max_wait = std::chrono::seconds{5}, .grace = std::chrono::seconds{2}})

namespace {

auto add(bench& t, const std::string& text) {
    return t.run(t.app().handler<gather_lines>().perform_async(text));
}

}  // namespace

TEST_CASE("a bundle that is not full is run when the clock has come so far", "[collect]") {
    bench t;
    const auto a = add(t, "a"), b = add(t, "bb");
    t.advance(1s);
    CHECK(t.run(a.info()).state == state::waiting);
    CHECK(t.lines.lines.empty());
    t.advance(1s);
    CHECK(t.lines.lines == lines{"abb"});
    CHECK(t.run(a) == 1);
    CHECK(t.run(b) == 2);
}

TEST_CASE("each item puts a bundle off, but not further than max_wait from the first", "[collect]") {
    bench t;
    for (const auto* text : {"x", "y", "z"}) {
        add(t, text);
        t.advance(1900ms);
    }
    // 5.7 s after the first one; by the last one alone it would be 5.8 s.
    CHECK(t.lines.lines == lines{"xyz"});
    add(t, "a");
    t.advance(1900ms);
    add(t, "b");
    t.advance(1900ms);
    CHECK(t.lines.lines == lines{"xyz"});
    t.advance(100ms);
    CHECK(t.lines.lines == lines{"xyz", "ab"});
}

TEST_CASE("a full bundle does not wait for the clock", "[collect]") {
    bench t;
    for (const auto* text : {"a", "b", "c", "d", "e"}) add(t, text);
    t.drain();
    CHECK(t.lines.lines == lines{"abcd"});
    t.advance(2s);
    CHECK(t.lines.lines == lines{"abcd", "e"});
}

TEST_CASE("awaiting an item moves the clock to its run", "[collect]") {
    bench t;
    const auto begin = t.now();
    CHECK(t.run(add(t, "abc")) == 3);
    CHECK(t.now() == begin + 2s);
}

TEST_CASE("an item that has failed is collected again after its backoff", "[collect]") {
    bench t;
    const auto good = add(t, "good"), bad = add(t, "bad");
    t.advance(2s);
    CHECK(t.run(good.info()).state == state::success);
    CHECK(t.run(bad.info()).state == state::retry);
    t.advance(10s);
    CHECK(t.run(bad.info()).state == state::waiting);
    t.advance(2s);
    CHECK(t.run(bad) == 3);
    CHECK(t.run(bad.info()).attempt == 2);
    CHECK(t.lines.lines == lines{"goodbad", "bad"});
}

TEST_CASE("of 250 items a hundred are run at a time, and the last fifty when no more have come",
          "[collect]") {
    bench t;
    std::vector<int> numbers(250);
    t.run(t.app().handler<gather_numbers>().perform_bulk(numbers));
    t.advance(199ms);
    CHECK(t.lines.lines == lines{"100", "100"});
    t.advance(1ms);
    CHECK(t.lines.lines == lines{"100", "100", "50"});
    CHECK(t.finished<gather_numbers>().size() == 253);
}

TEST_CASE("an item that was submitted is found by itself", "[collect]") {
    bench t;
    add(t, "a");
    CHECK(t.expect_submitted<gather_lines>("a").state == state::ready);
}

TEST_CASE("an item expires by itself, and not with the first of its bundle", "[collect]") {
    bench t;
    const auto fresh = t.app().handler<gather_fresh>();
    const auto a = t.run(fresh.perform_async("a"));
    t.advance(500ms);
    const auto b = t.run(fresh.perform_async("b"));
    t.advance(601ms);
    CHECK(t.run(a.info()).state == state::expired);
    CHECK(t.run(b.info()).state == state::success);
    CHECK(t.lines.lines == lines{"b"});
}
