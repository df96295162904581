// What goes on the shelf, and in which table it stands there.
#include "core/import_record.hpp"
#include "core/shelf_rules.hpp"

#include <catch2/catch_test_macros.hpp>

#include <limits>
#include <string>
#include <string_view>

using namespace std::chrono_literals;
using namespace errand;

namespace {
constexpr time_point midday{std::chrono::sys_days{std::chrono::year{2026} / 11 / 27} + 12h};
}

TEST_CASE("only what is due later than its handler says, and than workers look ahead, goes on the shelf") {
    CHECK(goes_on_shelf(midday + 2h, midday, 1h, 10min));
    CHECK_FALSE(goes_on_shelf(midday + 1h, midday, 1h, 10min));
    CHECK(goes_on_shelf(midday + 1h + 1ms, midday, 1h, 10min));
    CHECK_FALSE(goes_on_shelf(midday + 9min, midday, 1s, 10min));
    CHECK_FALSE(goes_on_shelf(midday + 24h, midday, std::nullopt, 10min));
    CHECK_FALSE(goes_on_shelf(midday - 24h, midday, 0ms, 10min));
}

TEST_CASE("a table has what is due on one day, and its name says which") {
    const auto day = shelf_day(midday);
    CHECK(shelf_day(midday + 12h - 1ms) == day);
    CHECK(shelf_day(midday + 12h) == day + 1);
    CHECK(shelf_day(time_point{-1ms}) == -1);
    CHECK(shelf_table(1, -3) == "errand_shelf_1_d-3");
    CHECK(day_of_shelf_table(1, shelf_table(1, day)) == day);
    CHECK(day_of_shelf_table(11, shelf_table(11, -3)) == -3);
    CHECK_FALSE(day_of_shelf_table(1, shelf_table(11, day)));
    CHECK_FALSE(day_of_shelf_table(11, shelf_table(1, day)));
    for (const auto* other : {"errand_shelf", "errand_shelf_key", "errand_shelf_d1", "errand_shelf_1_d",
                              "errand_shelf_1_d1x", "errand_shelf_1_d1_due", "errand_outbox"})
        CHECK_FALSE(day_of_shelf_table(1, other));
}

TEST_CASE("rows of one day are in the order of their due times, and of a part of their ids") {
    const auto day = shelf_day(midday);
    const auto begin = begin_of_shelf_day(day);
    CHECK(time_point{duration{begin}} == midday - 12h);
    const auto place = [&](std::int64_t due, std::string_view id) { return shelf_place(day, due, id); };
    const std::string first(16, '\0'), last(17, '\xff');
    CHECK(place(begin, first) == 0);
    CHECK(place(begin, "") == 0);
    CHECK(place(begin, last) < place(begin + 1, first));
    CHECK(place(begin, "000000\1\2") == 0x0102);
    CHECK(place(begin, "000000\xff") == 0xff00);
    CHECK(place(begin + 5, first) == 5 << 16);
    // Of another day: before all of them, or behind.
    CHECK(place(begin - 1, last) < 0);
    CHECK(place(std::numeric_limits<std::int64_t>::min() / 2, first) < 0);
    CHECK(place(begin + 86'400'000, first) > place(begin + 86'399'999, last));
    CHECK(place(std::numeric_limits<std::int64_t>::max(), last) >= place(begin + 86'400'000, first));
}

TEST_CASE("a day is past when it ended more than a day ago") {
    const auto day = shelf_day(midday);
    CHECK_FALSE(is_past_shelf_day(day, midday));
    CHECK_FALSE(is_past_shelf_day(day, midday + 35h));
    CHECK(is_past_shelf_day(day, midday + 36h));
}

TEST_CASE("ids drawn by chance are nobody else's; all others may be submitted again") {
    const auto drawn = new_task_id(midday.time_since_epoch().count());
    for (const auto& id : {drawn, in_first_shard(drawn)}) {
        CHECK_FALSE(follows_from_names(id));
        CHECK_FALSE(may_be_held(id, on_conflict::keep));
        // Chosen by who submits, to say the same once more.
        CHECK(may_be_held(id, on_conflict::where_free));
    }
    CHECK(may_be_held(derive_task_id("handler", "order 1"), on_conflict::keep));
    child_origin origin{};
    origin.identity = "handler";
    CHECK(follows_from_names(derive_child_id(origin, 1)));
}

TEST_CASE("the mark that shelf and store have in common is kept quietly") {
    CHECK(decode_shelf_mark(encode_shelf_mark(0x0102'0304'0506'0708U)) == 0x0102'0304'0506'0708U);
    CHECK(encode_shelf_mark(1).size() == 8);
    CHECK(decode_shelf_mark("") == 0);
    CHECK(is_kept_quietly(shelf_record_name));
}
