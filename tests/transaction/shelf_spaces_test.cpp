// Several namespaces that have their shelves in one database.
#include "core/shelf_rules.hpp"
#include "shelf_desk.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>

using namespace committed;
using errand::state;

namespace {

// Two of one database: the number of the second one begins with that of the first one.
struct neighbours {
    static constexpr std::int64_t number_of_first = 1, number_of_second = 11;

    neighbours() {
        CHECK(first.on_shelf() == 0);
        first.t.run(
            db->execute("INSERT INTO errand_shelf(name_space, space, format, mark) VALUES('third', 10, " +
                        std::to_string(errand::shelf_format) + ", 5)"));
        CHECK(second.on_shelf() == 0);
        const auto numbers =
            first.t.run(db->query<std::int64_t>("SELECT space FROM errand_shelf WHERE name_space = '" +
                                                second.plain.name_space + '\''));
        REQUIRE(numbers.at(0) == number_of_second);
    }

    shelf_desk first, second{first.url};
    std::shared_ptr<errand::database> db =
        errand::test::open_database(first.t.app, first.url, {.install = false});
};

}  // namespace

TEST_CASE("namespaces that share the database of their shelves each have their own task of one id",
          "[shelf][shared_by_apps]") {
    neighbours both;
    auto &one = both.first, &other = both.second;
    const auto mine = one.far<named>(std::string{"k"});
    const auto theirs = other.far<named>(std::string{"k"});
    CHECK(mine.id() == theirs.id());
    one.far<receipt>(std::int64_t{1});
    CHECK(one.on_shelf() == 2);
    CHECK(other.on_shelf() == 1);
    SECTION("and end them so") {
        CHECK(one.t.run(mine.cancel()));
        CHECK(one.on_shelf() == 1);
        CHECK(other.on_shelf() == 1);
        CHECK(other.t.info(theirs).state == state::delayed);
        CHECK_FALSE(other.in_store(theirs.id()));
    }
    SECTION("and bring them so") {
        test_app brings{other.eager()};
        CHECK(fetch_all(brings) == 1);
        CHECK(other.in_store(theirs.id()));
        CHECK(one.on_shelf() == 2);
        CHECK_FALSE(one.in_store(mine.id()));
        test_app brings_mine{one.eager()};
        CHECK(fetch_all(brings_mine) == 2);
        CHECK(one.in_store(mine.id()));
    }
}

TEST_CASE("of the tables of days that are past a namespace drops its own, and no others", "[shelf]") {
    neighbours both;
    const auto day =
        errand::shelf_day(both.first.t.info(both.first.far<receipt>(std::int64_t{1})).due_at.value());
    const auto past =
        errand::shelf_day(std::chrono::floor<errand::duration>(std::chrono::system_clock::now())) - 3;
    const auto there = [&](std::int64_t space) {
        return words_of([&] {
                   both.first.t.run(both.db->execute("DELETE FROM " + errand::shelf_table(space, past)));
               }) == "accepted";
    };
    for (const auto space : {neighbours::number_of_first, neighbours::number_of_second}) {
        const auto like = errand::shelf_table(neighbours::number_of_first, day);
        const bool has_index = errand::test::database_kind() == "mysql";
        both.first.t.run(both.db->execute("CREATE TABLE " + errand::shelf_table(space, past) +
                                          (has_index ? " LIKE " + like
                                                     : " AS SELECT * FROM " + like + " WHERE 1 = 0")));
    }
    CHECK(fetch_all(both.first.t) == 0);
    CHECK_FALSE(there(neighbours::number_of_first));
    CHECK(there(neighbours::number_of_second));
    CHECK(fetch_all(both.second.t) == 0);
    CHECK_FALSE(there(neighbours::number_of_second));
    CHECK(both.first.on_shelf() == 1);
}
