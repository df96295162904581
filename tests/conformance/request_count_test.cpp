// Requests that are counted by a name: never more than so many in any time, whoever counts.
#include "support/store_fixture.hpp"

#include <vector>

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;

namespace {

struct counted_requests : store_fixture {
    member one = join("one"), two = join("two");

    static request_count of(const std::string& name, std::int64_t most, duration per = 1h) {
        return {.name = name, .most = most, .per = per};
    }
    request_answer ask(member& by, const request_count& what) { return await(io, by->count_request(what)); }
    bool passes(member& by, const request_count& what) { return ask(by, what).mark != 0; }
};

}  // namespace

TEST_CASE("no more requests of a name are counted than it says, over all who count") {
    counted_requests t;
    const auto rule = counted_requests::of("a-write", 3);
    CHECK(t.passes(t.one, rule));
    CHECK(t.passes(t.two, rule));
    CHECK(t.passes(t.one, rule));
    CHECK_FALSE(t.passes(t.one, rule));
    const auto refused = t.ask(t.two, rule);
    CHECK(refused.mark == 0);
    CHECK(refused.opens_in > 0);
    CHECK(refused.opens_in <= std::chrono::microseconds{1h}.count());
    // Another name is another, and another rule holds at once.
    CHECK(t.passes(t.two, counted_requests::of("b-write", 1)));
    CHECK(t.passes(t.two, counted_requests::of("a-write", 4)));
    CHECK_FALSE(t.passes(t.one, counted_requests::of("a-write", 4)));
    CHECK_FALSE(t.passes(t.one, counted_requests::of("a-write", 2)));
}

TEST_CASE("requests of two namespaces are not counted together") {
    counted_requests t;
    auto with = t.settings("other");
    with.name_space += "-b";
    auto other = t.join(with);
    const auto rule = counted_requests::of("a", 1);
    CHECK(t.passes(t.one, rule));
    CHECK(t.passes(other, rule));
    CHECK_FALSE(t.passes(other, rule));
}

TEST_CASE("a request that is taken back makes room for one, once") {
    counted_requests t;
    const auto rule = counted_requests::of("a", 1);
    const auto mark = t.ask(t.one, rule).mark;
    await(t.io, t.two->take_back_request(rule, mark));
    CHECK(t.passes(t.one, rule));
    // Also where they stand together.
    const auto many = counted_requests::of("many", 300, 24h);
    std::int64_t last = 0;
    for (int i = 0; i < 300; ++i) last = t.ask(t.one, many).mark;
    CHECK(last != 0);
    CHECK_FALSE(t.passes(t.two, many));
    await(t.io, t.two->take_back_request(many, last));
    CHECK(t.passes(t.one, many));
    CHECK_FALSE(t.passes(t.two, many));
}

TEST_CASE("in any time that is as long as the rule says no more requests are counted") {
    counted_requests t;
    const auto per = 40ms;
    std::vector<std::int64_t> all;
    while (all.size() < 12) {
        const auto mark = t.ask(all.size() % 2 == 0 ? t.one : t.two, counted_requests::of("a", 3, per)).mark;
        if (mark != 0) all.push_back(mark);
    }
    for (std::size_t at = 3; at < all.size(); ++at)
        CHECK(all[at] - all[at - 3] >= std::chrono::microseconds{per}.count());
}
