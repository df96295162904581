#include "testing/handlers.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace harness_test;
using Catch::Matchers::ContainsSubstring;
using errand::testing::expectation_failed;
using lines = std::vector<std::string>;

namespace {

lines names_of(const std::vector<errand::task_info>& tasks) {
    lines all;
    for (const auto& one : tasks) all.emplace_back(one.args.at(0).as_string());
    return all;
}

}  // namespace

TEST_CASE("pending tasks are listed as submitted, finished ones as they ended") {
    bench t;
    const auto handler = t.app().handler<write_line>();
    t.run(handler.perform_in(1h, "a"));
    t.run(handler.perform_async("b"));
    t.run(handler.perform_async("c"));
    t.run(t.app().handler<write_aside>().perform_async("of another handler"));
    CHECK(names_of(t.pending<write_line>()) == lines{"a", "b", "c"});
    CHECK(t.finished<write_line>().empty());
    t.drain();
    CHECK(names_of(t.pending<write_line>()) == lines{"a"});
    CHECK(names_of(t.finished<write_line>()) == lines{"b", "c"});
    t.advance(1h);
    CHECK(names_of(t.finished<write_line>()) == lines{"b", "c", "a"});
    CHECK(t.finished<write_line>().front().state == state::success);
}

TEST_CASE("more tasks than fit a page are listed all") {
    bench t;
    t.run(t.app().handler<write_line>().perform_bulk(std::vector<std::string>(250, "a")));
    CHECK(t.pending<write_line>().size() == 250);
    CHECK(t.drain() == 250);
    CHECK(t.finished<write_line>().size() == 250);
}

TEST_CASE("an expected submission is found, run or not") {
    bench t;
    t.run(t.app().handler<send_receipt>().perform_async(order{"o-1", 990, {}}));
    CHECK(t.expect_submitted<send_receipt>(order{"o-1", 990, {}}).state == state::ready);
    t.drain();
    CHECK(t.expect_submitted<send_receipt>(order{"o-1", 990, {}}).state == state::success);
    CHECK(t.expect_submitted<send_receipt>().biz_id == "o-1");
}

TEST_CASE("what was submitted instead is listed") {
    bench t;
    t.run(t.app().handler<send_receipt>().perform_async(order{"o-1", 990, {}}));
    t.run(t.app().handler<send_receipt>().perform_in(1h, order{"o-2", 5, {}}));
    CHECK_THROWS_AS(t.expect_submitted<send_receipt>(order{"o-1", 991, {}}), expectation_failed);
    CHECK_THROWS_WITH(t.expect_submitted<send_receipt>(order{"o-1", 991, {}}),
                      ContainsSubstring("no task of send_receipt was submitted with") &&
                          ContainsSubstring("991") && ContainsSubstring("there are 2:") &&
                          ContainsSubstring("\"o-1\",\"cents\":990") && ContainsSubstring("\"o-2\"") &&
                          ContainsSubstring("delayed"));
    CHECK_THROWS_WITH(t.expect_submitted<write_line>("a"),
                      ContainsSubstring("no task of write_line was submitted") &&
                          ContainsSubstring("[\"a\"]") && ContainsSubstring("send_receipt: 2"));
    harness nothing;
    CHECK_THROWS_WITH(nothing.expect_submitted<write_line>(), ContainsSubstring("nothing was"));
}

TEST_CASE("an expectation that fails is an error of errand") {
    harness t;
    CHECK_THROWS_AS(t.expect_submitted<write_line>("a"), errand::error);
}

TEST_CASE("the next attempts fail as ordered, and those after them run") {
    bench t;
    t.fail_next<write_line>(std::out_of_range{"no such line"}, 2);
    const auto h = t.run(t.app().handler<write_line>().perform_async("a"));
    const auto other = t.run(t.app().handler<write_aside>().perform_async("b"));
    CHECK(t.run(h) == "a");
    const auto info = t.run(h.info());
    CHECK(info.attempt == 3);
    REQUIRE(info.errors.size() == 2);
    CHECK(info.errors[0].type == "std::out_of_range");
    CHECK(info.errors[1].message == "no such line");
    CHECK(t.run(other.info()).attempt == 1);
    CHECK(t.lines.lines == lines{"b", "a"});
}

TEST_CASE("ordered failures may be what a handler throws to say what is to be done") {
    bench t;
    t.fail_next<write_line>(errand::discard{"not wanted"});
    const auto h = t.run(t.app().handler<write_line>().perform_async("a"));
    t.drain();
    CHECK(t.run(h.info()).state == state::dead);
    t.fail_next<write_line>(std::make_exception_ptr(errand::bad_data{"from within"}));
    const auto again = t.run(t.app().handler<write_line>().perform_async("b"));
    t.drain();
    CHECK(t.run(again.info()).state == state::retry);
}

TEST_CASE("failures are ordered for one attempt at least") {
    harness t;
    CHECK_THROWS_AS(t.fail_next<write_line>(1, 0), errand::usage_error);
    CHECK_THROWS_AS(t.fail_next<write_line>(std::exception_ptr{}), errand::usage_error);
}

TEST_CASE("wrappers see an ordered failure as the handler's own, whenever they were added") {
    bench t;
    t.fail_next<write_line>(std::out_of_range{"ordered"});
    std::string seen;
    t.app().around_perform([&](errand::task_context&, errand::next_step next) -> errand::awaitable<void> {
        try {
            co_await next();
        } catch (const std::out_of_range& e) {
            seen = e.what();
            throw;
        }
    });
    t.run(t.app().handler<write_line>().perform_async("a"));
    t.drain();
    CHECK(seen == "ordered");
}
