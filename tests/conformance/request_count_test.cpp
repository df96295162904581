// Requests that are counted by a name: never more than so many in any time, whoever counts.
#include "support/store_fixture.hpp"

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;

namespace {

struct counted_requests : store_fixture {
    member one = join("one"), two = join("two");

    static request_count of(const std::string& name, std::int64_t most, duration per = 1h) {
        return {.name = name, .most = most, .per = per};
    }
    std::string count(member& by, request_count what) {
        return await(io, by->count_request(std::move(what)));
    }
};

}  // namespace

TEST_CASE("no more requests of a name are counted than it says, over all who count") {
    counted_requests t;
    const auto rule = counted_requests::of("a-write", 3);
    const auto first = t.count(t.one, rule);
    CHECK_FALSE(first.empty());
    const auto second = t.count(t.two, rule);
    CHECK_FALSE(second.empty());
    CHECK(second != first);
    CHECK_FALSE(t.count(t.one, rule).empty());
    CHECK(t.count(t.one, rule).empty());
    CHECK(t.count(t.two, rule).empty());
    // Another name is another, and another rule holds at once.
    CHECK_FALSE(t.count(t.two, counted_requests::of("b-write", 1)).empty());
    CHECK_FALSE(t.count(t.two, counted_requests::of("a-write", 4)).empty());
    CHECK(t.count(t.one, counted_requests::of("a-write", 4)).empty());
}

TEST_CASE("a request that is taken back makes room for one, once") {
    counted_requests t;
    const auto rule = counted_requests::of("a", 1);
    const auto mark = t.count(t.one, rule);
    await(t.io, t.two->take_back_request(rule, mark));
    CHECK_FALSE(t.count(t.one, rule).empty());
    await(t.io, t.two->take_back_request(rule, mark));
    CHECK(t.count(t.one, rule).empty());
}

TEST_CASE("in any time that is as long as the rule says no more requests are counted") {
    counted_requests t;
    const auto per = 40ms;
    std::vector<std::int64_t> all;
    while (all.size() < 12) {
        const auto mark = t.count(all.size() % 2 == 0 ? t.one : t.two, counted_requests::of("a", 3, per));
        if (!mark.empty()) all.push_back(std::stoll(mark));
    }
    for (std::size_t at = 3; at < all.size(); ++at)
        CHECK(all[at] - all[at - 3] >= std::chrono::microseconds{per}.count());
}
