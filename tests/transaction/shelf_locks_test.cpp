// Whom those who take tasks from the shelf, and strike them off, keep waiting.
#include "core/shelf_rules.hpp"
#include "shelf/statements.hpp"
#include "shelf_desk.hpp"
#include "sql/dialect.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <future>
#include <string>
#include <string_view>
#include <vector>

using namespace std::chrono_literals;
using namespace committed;
using Catch::Matchers::ContainsSubstring;

namespace {

// A statement on three rows, as it is where values stand in it.
std::string with_values(std::string text, std::string_view name) {
    std::vector<std::string> values;
    if (text.find("space = ?") != text.npos) values.emplace_back("1");
    if (name == "drop_notes") values.emplace_back("5");
    for (const char* digit : {"0", "1", "2"}) values.push_back("x'" + std::string(31, '0') + digit + "'");
    if (name == "forget") values.insert(values.end(), {"7", "8", "9"});
    for (const auto& one : values) text.replace(text.find('?'), 1, one);
    return text;
}

}  // namespace

// By another way MariaDB would lock rows, and wait for some, that somebody else puts there or brings.
TEST_CASE("what is struck off, and who takes it, goes by the primary key", "[shelf][only_mysql]") {
    shelf_desk d;
    const auto first = d.far<named>(std::string{"0"});
    for (const char* key : {"1", "2", "3"}) d.far<named>(std::string{key});
    errand::shelf::statements texts{errand::sql::dialect::of("mysql")};
    texts.belong_to(1);
    const auto day = errand::shelf_day(d.t.info(first).due_at.value());
    auto db = errand::test::open_database(d.t.app, d.url, {.install = false});
    for (const std::string_view name : {"where", "find", "take", "choose", "keys", "strike", "strike_keys",
                                        "strike_notes", "arrived", "forget", "drop_notes"}) {
        INFO(name);
        const auto text = with_values(texts.text(name, {.day = day, .ids = 3}), name);
        const auto plan = d.t.run(db->query<std::vector<errand::sql::value>>("EXPLAIN " + text));
        REQUIRE(plan.size() == 1);
        const auto says = [&](const std::string& word) {
            return std::ranges::find(plan[0], errand::sql::value{word}) != plan[0].end();
        };
        CHECK(says("range"));
        CHECK(says("PRIMARY"));
    }
}

// Very many may be due at one time: to sort all of them for each page would take forever.
TEST_CASE("a page of what is due begins in the index, and ends there", "[shelf][only_postgres]") {
    shelf_desk d;
    const std::vector<std::int64_t> numbers(3000);
    const auto all = d.t.run(d.t.app.handler<receipt>().with({.delay = 5 * 24h}).perform_bulk(numbers));
    errand::shelf::statements texts{errand::sql::dialect::of("postgres")};
    texts.belong_to(1);
    const auto due = d.t.info(all.front()).due_at.value();
    const auto day = errand::shelf_day(due);
    auto db = errand::test::open_database(d.t.app, d.url, {.install = false});
    // Also where nobody has counted what is there.
    const bool counted = GENERATE(false, true);
    if (counted) d.t.run(db->execute("ANALYZE " + d.table_of(day)));
    const std::vector<std::string_view> counted_ones{"take_due", "after", "before"}, others{"take_due"};
    for (const auto name : counted ? counted_ones : others) {
        INFO(name);
        auto text = texts.text(name, {.day = day});
        auto give = [&, at = 0](const std::string& value) mutable {
            const auto mark = '$' + std::to_string(++at);
            text.replace(text.find(mark), mark.size(), value);
        };
        const auto moment = due.time_since_epoch().count() + (name == "before" ? 1 : 0);
        const auto place = std::to_string(errand::shelf_place(day, moment, {}));
        if (name == "take_due") give("9000000000000000000");
        for (const std::string& value : {place, place, std::string{"'\\x00'"}, std::string{"10"}})
            give(value);
        std::string plan;
        d.t.run(errand::transaction(*db, [&](auto& in) -> errand::awaitable<int> {
            if (name == "take_due")
                co_await in.template query<std::vector<errand::sql::value>>(texts.text("bound"));
            const auto lines = co_await in.template query<std::string>("EXPLAIN " + text);
            for (const auto& line : lines) plan += line + '\n';
            co_return 0;
        }));
        CHECK_THAT(plan, ContainsSubstring("using " + d.table_of(day) + "_due"));
        // Of those alone that have one place.
        CHECK_THAT(plan, ContainsSubstring("Presorted Key: "));
    }
}

TEST_CASE("a row of the shelf takes 140 bytes at most beside its body, with its indexes",
          "[shelf][only_postgres]") {
    shelf_desk d;
    constexpr std::size_t rows = 20'000, in_a_bulk = 1000;
    const std::vector<std::int64_t> numbers(in_a_bulk);
    errand::options how;
    // In the middle of a day.
    how.at = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()) + 5 * 24h + 12h;
    for (std::size_t put = 0; put < rows; put += in_a_bulk)
        d.t.run(d.t.app.handler<receipt>().with(how).perform_bulk(numbers));
    CHECK(d.on_shelf() == rows);
    auto db = errand::test::open_database(d.t.app, d.url, {.install = false});
    const auto table = d.table_of(errand::shelf_day(*how.at));
    const auto bytes = d.t.run(db->query<std::int64_t>("SELECT (pg_total_relation_size('" + table +
                                                       "') - sum(length(body)))::bigint FROM " + table));
    CHECK(bytes.at(0) <= std::int64_t{140 * rows});
}

TEST_CASE("who strikes off what was brought does not wait for whoever shelves another name",
          "[shelf][served][shared_by_apps]") {
    shelf_desk d;
    for (const char* key : {"0", "1", "2", "3"}) d.far<named>(std::string{key});
    test_app brings{d.eager()};
    CHECK(brings.run(brings.app.inspect().shelf())->tasks == 4);
    auto db = errand::test::open_database(d.t.app, d.url);
    const auto other = errand::derive_task_id("another", "1");
    errand::sql::bytes id;
    for (const char c : other.view()) id.push_back(static_cast<std::byte>(c));
    d.t.run(errand::transaction(*db, [&](auto& in) -> errand::awaitable<int> {
        co_await in.execute(
            errand::test::sql("INSERT INTO errand_shelf_key(due_at, life, space, id) VALUES(1, 1, 1000, ?)"),
            id);
        CHECK(std::async(std::launch::async, [&] { return fetch_all(brings); }).get() == 4);
        co_return 0;
    }));
    CHECK(d.on_shelf() == 0);
}
