// Which call closes a claim: none while another one under way may still have to bring a report of it.
#include <errand/errand.hpp>

#include "worker/reporter.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace errand;

namespace {

struct desk {
    desk() {
        reports.claimed(std::vector<claimed_task>{{task(1), claim, "q", {}, {}},
                                                  {task(2), claim, "q", {}, {}}});
        std::vector<claimed_task> tasks{{task(1), claim, "q", {}, {}}, {task(2), claim, "q", {}, {}}};
        held.add(tasks, indexes);
    }

    static task_id task(unsigned char n) {
        task_id id;
        id.bytes[0] = n;
        return id;
    }
    static config settings() {
        config made;
        made.store = "redis://localhost";
        return made;
    }
    void end(unsigned char n, std::size_t bytes = 0) {
        report one;
        one.record.assign(bytes, 'x');
        one.id = task(n);
        one.claim = claim;
        reports.add(std::move(one), indexes[n - 1U], "h");
    }
    struct call {
        work_call sent;
        reporter::batch batch;
    };
    call send() {
        call one;
        one.batch = reports.load(one.sent);
        return one;
    }
    void answered(call& one) {
        work_answer answer;
        answer.verdicts.assign(one.sent.reports.size(), report_verdict::accepted);
        reports.delivered(one.sent, one.batch, answer);
    }

    static constexpr claim_number claim = 7;
    app program{settings()};
    boost::asio::thread_pool pool{1};
    worker_shared shared{detail::core_of(program), queue_choice{{{"q", 1}}, false}, pool};
    leased_tasks held;
    std::vector<leased_tasks::index> indexes;
    reporter reports{shared, held};
};

const std::vector<claim_number> closes{desk::claim};

}  // namespace

TEST_CASE("the call with the last report of a claim closes it") {
    desk d;
    d.end(1);
    auto first = d.send();
    CHECK(first.sent.closed.empty());
    d.answered(first);
    d.end(2);
    auto second = d.send();
    CHECK(second.sent.closed == closes);
    d.answered(second);
    CHECK(d.reports.empty());
}

TEST_CASE("a claim is not closed while another call brings a report of it") {
    desk d;
    d.end(1);
    auto first = d.send();
    d.end(2);
    auto second = d.send();
    CHECK(second.sent.reports.size() == 1);
    CHECK(second.sent.closed.empty());
    d.answered(second);
    CHECK(d.reports.waiting() == 0);
    // Now nobody else brings one: the close goes by itself.
    d.answered(first);
    CHECK(d.reports.waiting() == 1);
    CHECK_FALSE(d.reports.empty());
    auto third = d.send();
    CHECK(third.sent.closed == closes);
    d.answered(third);
    CHECK(d.reports.empty());
}

TEST_CASE("a call that failed brings its reports with the close") {
    desk d;
    d.end(1);
    auto first = d.send();
    d.end(2);
    d.reports.put_back(first.sent, first.batch);
    auto again = d.send();
    REQUIRE(again.sent.reports.size() == 2);
    CHECK(again.sent.closed == closes);
    // The store may have taken the one that was under way.
    CHECK_FALSE(again.sent.reports[0].again);
    CHECK(again.sent.reports[1].again);
    d.reports.put_back(again.sent, again.batch);
    again = d.send();
    CHECK(again.sent.closed == closes);
    d.answered(again);
    CHECK(d.reports.empty());
}

TEST_CASE("reports that are too much for one call leave in several, and the last of a claim closes it") {
    desk d;
    d.end(1, 400'000);
    d.end(2, 400'000);
    auto first = d.send();
    CHECK(first.sent.reports.size() == 1);
    CHECK(first.batch.leased_at.size() == 1);
    CHECK(first.sent.closed.empty());
    CHECK(d.reports.waiting() == 1);
    d.answered(first);
    CHECK_FALSE(d.reports.empty());
    auto second = d.send();
    CHECK(second.sent.reports.size() == 1);
    CHECK(second.sent.reports[0].id == desk::task(2));
    CHECK(second.sent.closed == closes);
    // What failed goes out in the same parts.
    d.reports.put_back(second.sent, second.batch);
    second = d.send();
    CHECK(second.sent.reports.size() == 1);
    CHECK(second.sent.closed == closes);
    d.answered(second);
    CHECK(d.reports.empty());
}

TEST_CASE("a claim whose reports are in two calls is closed when both were answered") {
    desk d;
    d.end(1, 400'000);
    d.end(2, 400'000);
    auto first = d.send();
    auto second = d.send();
    CHECK(first.sent.closed.empty());
    CHECK(second.sent.closed.empty());
    d.answered(second);
    CHECK(d.reports.waiting() == 0);
    d.reports.put_back(first.sent, first.batch);
    auto again = d.send();
    CHECK(again.sent.reports.size() == 1);
    CHECK(again.sent.closed == closes);
    d.answered(again);
    CHECK(d.reports.empty());
}

TEST_CASE("one report of any size leaves") {
    desk d;
    d.end(1, 3'000'000);
    auto only = d.send();
    CHECK(only.sent.reports.size() == 1);
    d.answered(only);
    d.end(2);
    auto last = d.send();
    CHECK(last.sent.closed == closes);
    d.answered(last);
    CHECK(d.reports.empty());
}

TEST_CASE("a shard that was left behind may answer before the call is over that brought it the report") {
    desk d;
    d.end(1);
    auto first = d.send();
    d.reports.answered(desk::task(1), desk::claim, report_verdict::accepted);
    work_answer answer;
    answer.verdicts.assign(1, report_verdict::accepted);
    answer.later = {0};
    d.reports.delivered(first.sent, first.batch, answer);
    d.end(2);
    auto second = d.send();
    CHECK(second.sent.closed == closes);
    d.answered(second);
    CHECK(d.reports.empty());
}
