// In which line submissions leave where there is a shelf: whatever must ask it holds up nothing that need not.
#include "runtime/submissions.hpp"
#include "shelf_by_hand.hpp"
#include "shelf_cut.hpp"

#include <boost/asio/co_spawn.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <exception>
#include <string>
#include <vector>

using namespace std::chrono_literals;
using namespace committed;
using errand::on_conflict;
using errand::submit_mode;
using errand::submit_verdict;
using errand::test::await;
using errand::test::run_until;

namespace {

using batch = std::vector<errand::submission_item>;

batch by_name(const std::string& what) {
    batch all;
    for (int at = 0; at < 3; ++at)
        all.push_back(item_under(errand::derive_task_id(what, std::to_string(at)), on_conflict::keep, 0s));
    return all;
}
batch drawn(errand::time_point now) {
    batch all;
    for (int at = 0; at < 3; ++at)
        all.push_back(item_under(errand::new_task_id(now.time_since_epoch().count()), on_conflict::keep, 0s));
    return all;
}

bool all_are(const errand::submitter::group_answer& got, submit_verdict verdict) {
    return got.failures.empty() &&
           std::ranges::all_of(got.answers, [&](const auto& one) { return one.verdict == verdict; });
}

// So that a test that fails comes to its end.
struct opens_at_the_end {
    gate& which;
    ~opens_at_the_end() { which.open(); }
};

}  // namespace

TEST_CASE(
    "batches that are accepted as a whole and must ask the shelf hold up nothing else while it does not answer",
    "[shelf][shared_by_apps]") {
    shelf_desk d;
    gate way;
    shelf_by_hand by{d, {.database = [&way](std::unique_ptr<errand::sql::driver> in) {
                         return std::make_unique<watched_driver>(std::move(in), way);
                     }}};
    const opens_at_the_end guard{way};
    errand::submissions lines{by.io.get_executor(), *by.on, std::nullopt};
    // It knows the shelf.
    CHECK(await(by.io, by.on->look_at_shelf())->days.empty());
    way.shut();
    // More than there are lanes.
    constexpr std::size_t batches = 4;
    std::size_t ended = 0, accepted = 0;
    for (std::size_t at = 0; at < batches; ++at) {
        boost::asio::co_spawn(
            by.io, lines.submit_group(by_name("batch " + std::to_string(at)), submit_mode::all_or_nothing),
            [&](const std::exception_ptr& why, const errand::submitter::group_answer& got) {
                ++ended;
                if (!why && all_are(got, submit_verdict::accepted)) ++accepted;
            });
    }
    // All of them are on their way, or in their line, when the store has answered this.
    await(by.io, by.on->find_settings("nobody"));
    const auto now = by.on->now();
    for (int times = 0; times < 3; ++times) {
        auto alone = drawn(now);
        const auto one = await(by.io, lines.submit(std::move(alone.front())));
        CHECK(one.verdict == submit_verdict::accepted);
        CHECK(all_are(await(by.io, lines.submit_group(drawn(now), submit_mode::all_or_nothing)),
                      submit_verdict::accepted));
    }
    CHECK(ended == 0);
    way.open();
    CHECK(run_until(by.io, [&] { return ended == batches; }));
    CHECK(accepted == batches);
}

TEST_CASE(
    "a batch that is accepted as a whole meets who holds a biz_id on the shelf, and none of it goes there",
    "[shelf]") {
    shelf_desk d;
    const auto first = d.far<committed::named>(std::string{"k"});
    const auto holder = *errand::parse_task_id(first.id());
    auto& core = errand::detail::core_of(d.t.app);
    const auto submit_whole = [&](on_conflict rule, const char* other) {
        return d.t.run(errand::on_loop(core.background(), [&](errand::loop& there) {
            batch items{item_under(holder, rule, 5 * 24h),
                        item_under(errand::derive_task_id(other, "1"), on_conflict::keep, 5 * 24h)};
            return there.submissions().submit_group(std::move(items), submit_mode::all_or_nothing);
        }));
    };
    const auto refused = submit_whole(on_conflict::reject, "other");
    REQUIRE(refused.failures.empty());
    CHECK(refused.answers.at(0).verdict == submit_verdict::rejected);
    CHECK(refused.answers.at(1).verdict == submit_verdict::withheld);
    CHECK(d.in_store(first.id()));
    CHECK(d.on_shelf() == 0);
    const auto taken = submit_whole(on_conflict::keep, "another");
    REQUIRE(taken.failures.empty());
    CHECK(taken.answers.at(0).verdict == submit_verdict::duplicate);
    CHECK(taken.answers.at(1).verdict == submit_verdict::accepted);
    CHECK(d.on_shelf() == 0);
}
