// `errand schedules`, run as a program.
#include "cli/office.hpp"
#include "cli/schedule_views.hpp"
#include "cli/views.hpp"
#include "client/schedule_change.hpp"
#include "runtime/app_core.hpp"
#include "support/await.hpp"
#include "support/shards.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;
using cli_test::chore;
using cli_test::each;
using cli_test::office;

namespace {

errand::schedule nightly(office& t, std::string key, bool paused = false) {
    return t.run(t.app.handler<chore>().cron("0 3 * * *", {.key = std::move(key), .paused = paused}, 7));
}

}  // namespace

TEST_CASE("schedules are listed, by handler and state, in pages", "[cli]") {
    office t;
    CHECK(t.errand({"schedules"}).out == "there is no such schedule\n");
    nightly(t, "a");
    nightly(t, "b", true);
    CHECK(each(t.answer({"schedules"}).at("schedules"), "key") == std::set<std::string>{"a", "b"});
    CHECK(each(t.answer({"schedules", "list", "--state", "paused"}).at("schedules"), "key") ==
          std::set<std::string>{"b"});
    CHECK(t.answer({"schedules", "--handler", "other"}).at("schedules").as_array().empty());
    const auto page = t.answer({"schedules", "--limit", "1"});
    CHECK(each(page.at("schedules"), "key") == std::set<std::string>{"a"});
    const std::string next{page.at("next").as_string()};
    CHECK(each(t.answer({"schedules", "--after", next}).at("schedules"), "key") ==
          std::set<std::string>{"b"});
    CHECK_THAT(t.errand({"schedules"}).out, ContainsSubstring("0 3 * * *") && ContainsSubstring("paused"));
    CHECK(t.errand({"schedules", "--state", "odd"}).code == 2);
}

TEST_CASE("one schedule is looked at and changed by its id or its name", "[cli]") {
    office t;
    const auto s = nightly(t, "a:b");
    const auto shown = t.answer({"schedules", "show", "chore:a:b"});
    CHECK(shown.at("id").as_string() == s.id());
    CHECK(shown.at("upcoming").as_array().size() == 5);
    CHECK_THAT(t.errand({"schedules", "show", s.id()}).out, ContainsSubstring("next ticks"));
    CHECK(t.answer({"schedules", "pause", s.id()}).at("changed") == true);
    CHECK(t.answer({"schedules", "pause", s.id()}).at("changed") == false);
    CHECK(t.answer({"schedules", "resume", s.id()}).at("state") == "active");
    const auto made = t.answer({"schedules", "run", "chore:a:b"});
    CHECK(t.run(t.app.find(std::string{made.at("task").as_string()}))->handler == "chore");
    const auto filled =
        t.errand({"schedules", "backfill", s.id(), "2026-01-01T00:00:00Z", "2026-01-03T00:00:00Z"});
    CHECK(filled.out == "made 2 runs\n");
    CHECK(t.answer({"schedules", "cancel", s.id()}).at("state") == "cancelled");
    CHECK(t.errand({"schedules", "show", "chore:c"}).code == 1);
    CHECK(t.errand({"schedules", "show"}).code == 2);
    CHECK(t.errand({"schedules", "backfill", s.id()}).code == 2);
    CHECK(t.errand({"schedules", "pause", s.id(), "2026-01-01T00:00:00Z"}).code == 2);
}

TEST_CASE("a schedule that has moved to another shard is found by its name where it goes on", "[cli]") {
    auto settings = errand::test::fresh_settings();
    settings.shards = 3;
    office t{settings};
    const auto old = nightly(t, "k");
    {
        boost::asio::io_context io{1};
        const auto store = errand::test::opened_store(io, t.app);
        auto moved =
            errand::test::await(io, errand::look_at_schedule(*store, *errand::parse_task_id(old.id())))
                .record.value();
        moved.in_first_shard = true;
        std::vector<errand::schedule_record> all{moved};
        errand::test::await(io, errand::declare_all(*store, std::move(all),
                                                    errand::detail::core_of(t.app).zone_finder()));
        store->close();
        io.restart();
        io.run();
    }
    const auto shown = t.answer({"schedules", "show", "chore:k"});
    CHECK(shown.at("state") == "active");
    CHECK(shown.at("id").as_string() != old.id());
    CHECK(t.answer({"schedules", "show", old.id()}).at("state") == "cancelled");
}

TEST_CASE("a schedule is shown in words") {
    const errand::time_point now{1'780'000'000'000ms};
    errand::schedule_info one;
    one.id = "x";
    one.handler = "report";
    one.key = "k";
    one.timing = "every 1h after each run";
    one.runs = 3;
    CHECK_THAT(errand::cli::schedule_table({one}, now).text(0), ContainsSubstring("after the run"));
    one.next_at = now + 5min;
    one.max_runs = 9;
    const auto text = errand::cli::schedule_text(one, {now + 5min}, now);
    CHECK_THAT(text, ContainsSubstring("3 of 9") && ContainsSubstring("in 5m"));
    CHECK(errand::cli::json_of(one).at("last_run").is_null());
}
