// Whom those who take tasks from the shelf, and strike them off, keep waiting.
#include "core/shelf_rules.hpp"
#include "shelf/statements.hpp"
#include "shelf_desk.hpp"
#include "sql/dialect.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <future>
#include <string>
#include <string_view>
#include <vector>

using namespace committed;

namespace {

// A statement on three rows, as it is where values stand in it.
std::string with_values(std::string text, std::string_view name) {
    std::vector<std::string> values{"1"};
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
    const errand::shelf::statements texts{errand::sql::dialect::of("mysql")};
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
