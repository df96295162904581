// What the lines of an imported file submit, and how far an import has come.
#include <errand/error.hpp>

#include "core/import_lines.hpp"
#include "core/import_record.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <set>

using namespace errand;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

namespace {

boost::json::value task(std::string_view line, const import_rules& rules = {}) {
    return task_of_json(line, rules);
}
boost::json::value value(std::string_view text) { return boost::json::parse(text); }

boost::json::value csv(std::vector<std::string> header, const std::vector<std::string>& cells,
                       const import_rules& rules = {}) {
    return csv_columns{std::move(header), rules}.task_of(cells);
}

void refused(std::string_view line, const std::string& why, const import_rules& rules = {}) {
    CHECK_THROWS_MATCHES(task_of_json(line, rules), bad_data, MessageMatches(ContainsSubstring(why)));
}

}  // namespace

TEST_CASE("a line with args is a submission as it stands, and what it was is passed over") {
    CHECK(task(R"({"handler":"h","args":[1],"at":"2026-12-01T08:00:00Z","was":{"id":"x"}})") ==
          value(R"({"handler":"h","args":[1],"at":"2026-12-01T08:00:00Z"})"));
    // What is wrong in it is told where submissions are read.
    CHECK(task(R"({"handler":"h","args":[],"priorty":1})") ==
          value(R"({"handler":"h","args":[],"priorty":1})"));
}

TEST_CASE("a line without args has one argument, which is what else it holds") {
    const import_rules rules{.handler = "send", .queue = "mail"};
    CHECK(task(R"({"to":"a","cents":5,"queue":"fast","priority":3})", rules) ==
          value(R"({"queue":"fast","priority":3,"args":[{"to":"a","cents":5}],"handler":"send"})"));
    CHECK(task(R"({"handler":"own"})", rules) == value(R"({"handler":"own","queue":"mail"})"));
    CHECK(task(R"({"handler":null,"queue":null})", rules) == value(R"({"handler":"send","queue":"mail"})"));
}

TEST_CASE("another member can be the biz_id or the due time, and stays an argument") {
    const import_rules rules{.handler = "h", .queue = {}, .biz_id = "order", .at = "when"};
    CHECK(task(R"({"order":17,"when":"2026-12-01T08:00:00Z"})", rules) ==
          value(R"({"handler":"h","biz_id":"17","at":"2026-12-01T08:00:00Z",
                    "args":[{"order":17,"when":"2026-12-01T08:00:00Z"}]})"));
    refused(R"({"order":"","when":"x"})", "it has no \"order\", which is to be its biz_id", rules);
    refused(R"({"order":"a"})", "it has no \"when\"", rules);
    refused(R"({"order":[1],"when":"x"})", "\"order\" is to be a text", rules);
}

TEST_CASE("of a line with args the biz_id and the due time stand beside them or in the only one") {
    const import_rules rules{.handler = "h", .queue = {}, .biz_id = "order", .at = "at"};
    CHECK(task(R"({"order":17,"args":[1,2]})", rules) ==
          value(R"({"handler":"h","biz_id":"17","args":[1,2]})"));
    CHECK(task(R"({"args":[{"order":"a"}]})", rules) ==
          value(R"({"handler":"h","biz_id":"a","args":[{"order":"a"}]})"));
    refused(R"({"args":[{"order":"a"},2]})", "it has no \"order\", which is to be its biz_id", rules);
    refused(R"({"args":["order"]})", "it has no \"order\"", rules);
    // A member of a submission is that as well.
    CHECK(task(R"({"handler":"h","args":[1]})", {.biz_id = "handler"}) ==
          value(R"({"handler":"h","biz_id":"h","args":[1]})"));
}

TEST_CASE("a line that is no object of JSON in UTF-8 is refused with the reason") {
    refused("[1]", "no JSON object");
    refused(R"({"handler":"h")", "the line");
    refused("{\"handler\":\"caf\xE9\"}", "byte 16 of the line is no UTF-8");
    refused(R"({"args":[]})", "names no handler");
}

TEST_CASE("columns of CSV are members by their names, and one argument all others") {
    CHECK(csv({"handler", "biz_id", "priority", "args"}, {"h", "b,1", "3", "[1,\"x\"]"}) ==
          value(R"({"handler":"h","biz_id":"b,1","priority":3,"args":[1,"x"]})"));
    CHECK(csv({"to", "zip", "cents:json", "gone:json", "at"}, {"a", "01234", "5", "", ""},
              {.handler = "h"}) ==
          value(R"({"args":[{"to":"a","zip":"01234","cents":5,"gone":null}],"handler":"h"})"));
    CHECK(csv({"order", "n"}, {"o-1", ""}, {.handler = "h", .queue = {}, .biz_id = "order"}) ==
          value(R"({"biz_id":"o-1","args":[{"order":"o-1","n":""}],"handler":"h"})"));
}

TEST_CASE("a record of CSV that does not fit its header is refused with the reason") {
    const csv_columns two{{"a", "b:json"}, {.handler = "h"}};
    const auto refuses = [&](const std::vector<std::string>& cells, const std::string& why) {
        CHECK_THROWS_MATCHES(two.task_of(cells), bad_data, MessageMatches(ContainsSubstring(why)));
    };
    refuses({"1"}, "it has 1 fields, and the header has 2");
    refuses({"1", "2", "3"}, "it has 3 fields");
    refuses({"1", "x"}, "b");
    refuses({"\xFF", "1"}, "no UTF-8");
}

TEST_CASE("a header of CSV names each column once, and those that are to be there") {
    const auto refuses = [](std::vector<std::string> header, const std::string& why,
                            const import_rules& rules = {}) {
        CHECK_THROWS_MATCHES((csv_columns{std::move(header), rules}), usage_error,
                             MessageMatches(ContainsSubstring(why)));
    };
    refuses({"a", ""}, "has no name");
    refuses({"a", "a:json"}, "two columns");
    refuses({"a"}, "no column \"b\", which is to be the biz_id",
            {.handler = "h", .queue = {}, .biz_id = "b"});
    refuses({"\xFF"}, "no UTF-8");
}

TEST_CASE(
    "how far an import has come reads back as it was written, and passes over what a later errand adds") {
    import_record one;
    one.stamp = 7;
    one.began = one.next_at = time_point{duration{1'700'000'000'123}};
    one.size = std::uint64_t{1} << 40U;
    one.digest = std::string(32, '\0');
    one.csv = one.complete = true;
    one.offset = 5;
    one.lines = 4;
    one.accepted = 3;
    one.duplicates = 2;
    one.rejected = 1;
    one.next_count = 1000;
    CHECK(decode_import(encode(one)) == one);
    CHECK(decode_import(encode(one) + "more") == one);
    const auto bytes = encode(one);
    for (std::size_t n = 0; n < bytes.size(); ++n)
        CHECK_THROWS_AS(decode_import(std::string_view{bytes}.substr(0, n)), bad_data);
}

TEST_CASE("each line of each import has a task of its own, and neighbours share a shard") {
    std::set<std::string> ids;
    std::set<std::string> places;
    for (std::uint64_t line = 1; line <= 2000; ++line) {
        const auto id = derive_import_id("n", line);
        CHECK(id == derive_import_id("n", line));
        ids.emplace(id.view());
        places.emplace(id.view().substr(14));
    }
    CHECK(ids.size() == 2000);
    CHECK(places.size() == 8);
    CHECK(derive_import_id("m", 1) != derive_import_id("n", 1));
    CHECK(import_life(time_point{duration{5}}, 1) != import_life(time_point{duration{5}}, 2));
    CHECK((import_life(time_point{duration{5}}, 70'000) >> 16U) == 5);
}
