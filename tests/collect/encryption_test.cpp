// Collected items whose content is encrypted.
#include "collect/handlers.hpp"
#include "support/encryption_keys.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace collect_test;
using Catch::Matchers::ContainsSubstring;
using errand::test::new_key;
using errand::test::old_key;
using errand::test::with_keys;

TEST_CASE("a run waits for a worker that has the keys of all its items, and loses no attempt",
          "[collect][shared_by_apps]") {
    const auto settings = errand::test::fresh_settings();
    office before{with_keys(settings, old_key)};
    const auto first = before.send<pairs>(1);
    std::string run;
    {
        // It opens the bundle: what it says of the run is encrypted with the new key.
        office during{with_keys(settings, new_key + "," + old_key)};
        during.start();
        run = during.carrier_of(first);
    }
    std::string second;
    {
        std::atomic<int> waited{0};
        std::mutex guard;
        std::string why;
        office without{with_keys(settings, new_key)};
        without.app.on_event([&](const errand::event& what) {
            if (what.kind != errand::event_kind::task_snoozed || what.task != run) return;
            const std::lock_guard lock{guard};
            why = what.text;
            ++waited;
        });
        without.start();
        second = without.send<pairs>(2).id();
        eventually([&] { return waited > 1; });
        without.stop();
        CHECK_THAT(why,
                   ContainsSubstring("args of item " + first.id()) &&
                       ContainsSubstring("encrypted with the key old, which this program does not have"));
        const auto shown = without.run(without.app.inspect().find(run));
        REQUIRE(shown);
        CHECK(shown->attempt == 0);
        CHECK(shown->errors.empty());
        CHECK(!shown->started_at);
        CHECK(without.book.made().empty());
    }
    office after{with_keys(settings, new_key + "," + old_key)};
    after.start();
    for (const auto& id : {first.id(), second}) {
        const auto item = after.run(after.app.find<int>(id));
        REQUIRE(item);
        CHECK_NOTHROW(after.wait(*item));
        CHECK(after.info(*item).attempt == 1);
    }
    CHECK(after.book.made() == std::vector<std::vector<int>>{{1, 2}});
}
