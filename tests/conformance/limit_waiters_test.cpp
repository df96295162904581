// Who waits at a limit, by its keys.
#include "support/limit_fixture.hpp"

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;

namespace {

std::vector<gate_waiters> waiting_at(limit_fixture& t, const std::string& name, std::size_t most = 10) {
    return await(t.io, t.worker->waiting_at(name, most));
}

std::string key_of(const std::string& gate) { return gate.substr(1 + limit_number_width); }

}  // namespace

TEST_CASE(
    "of a limit's keys those for which most tasks wait come first, each with the task that goes first") {
    limit_fixture t;
    const auto at = [&](const char* key) { return t.running("handler:sync", key); };
    t.set("handler:sync", t.at_most(1));
    t.submit_many(1, at("none"));
    const auto some = t.submit_many(2, at("some"));
    const auto most = t.submit_many(5, at("most"));
    CHECK(waiting_at(t, "handler:sync").empty());
    const auto got = t.take(20);
    REQUIRE(got.size() == 3);
    const auto all = waiting_at(t, "handler:sync");
    REQUIRE(all.size() == 2);
    CHECK(all[0].key == key_of(at("most")));
    CHECK(all[0].waiting == 4);
    CHECK(all[0].first == most[1]);
    CHECK(all[1].key == key_of(at("some")));
    CHECK(all[1].waiting == 1);
    CHECK(all[1].first == some[1]);
    CHECK(waiting_at(t, "handler:sync", 1).size() == 1);
    CHECK(waiting_at(t, "another").empty());
    // What is more urgent goes first.
    const auto urgent = t.submit_gated(at("most"), "[]", "default", 3);
    CHECK(waiting_at(t, "handler:sync", 1).at(0).first == urgent);
    for (const auto& one : got) t.finish_one(one);
    t.take(20);
    CHECK(waiting_at(t, "handler:sync", 1).at(0).waiting == 4);
    CHECK(t.check().empty());
}

TEST_CASE("who waits at a limit is counted over all queues, by what is closed to them") {
    limit_fixture t;
    t.set("crm", t.at_most(1));
    t.set("slow", t.never_more_than(1, 1h));
    t.submit_many(2, t.running("crm"), "[]", "one");
    t.submit_many(3, t.running("crm"), "[]", "two");
    t.submit_many(2, t.starts("slow"), "[]", "one");
    CHECK(t.take(9, "one").size() == 2);
    CHECK(t.take(9, "two").empty());
    const auto crm = waiting_at(t, "crm");
    REQUIRE(crm.size() == 1);
    CHECK(crm[0].key == key_of(t.running("crm")));
    CHECK(crm[0].waiting == 4);
    const auto slow = waiting_at(t, "slow");
    REQUIRE(slow.size() == 1);
    CHECK(slow[0].waiting == 1);
}

TEST_CASE("who cancels each page of what is ready at limits before the next one is read cancels all") {
    limit_fixture t;
    for (int key = 0; key < 300; ++key)
        t.submit_many(key % 50 == 0 ? 12 : 2, t.running("crm", std::to_string(key)));
    std::size_t cancelled = 0;
    for (const auto& list : await(t.io, t.worker->lists(state::ready, "default"))) {
        list_call call{.of = list, .where = state::ready, .newest_first = false, .after = {}, .limit = 40};
        for (bool more = true; more;) {
            const auto page = await(t.io, t.worker->list(call));
            for (const auto& one : page.items)
                await(t.io, t.worker->cancel(one.task.id, 0, outcome_of(state::cancelled)));
            cancelled += page.items.size();
            call.after = page.last;
            more = page.more;
        }
    }
    CHECK(cancelled == 294 * 2 + 6 * 12);
    CHECK(t.check().empty());
    CHECK(t.take(20).empty());
}
