// CSV record by record, whole and in pieces.
#include "core/csv_records.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using Catch::Matchers::ContainsSubstring;
using errand::csv_record;
using errand::read_csv_record;

namespace {

using fields = std::vector<std::string>;

csv_record whole(std::string_view text) {
    const auto got = read_csv_record(text, true);
    REQUIRE(got);
    return *got;
}

// All that is in a text that comes byte by byte.
std::vector<csv_record> all_of(std::string_view text) {
    std::vector<csv_record> all;
    std::size_t from = 0;
    for (std::size_t there = 0; from < text.size();) {
        const bool last = there == text.size();
        if (auto got = read_csv_record(text.substr(from, there - from), last)) {
            from += got->bytes;
            all.push_back(std::move(*got));
        } else {
            REQUIRE_FALSE(last);
            ++there;
        }
    }
    return all;
}

}  // namespace

TEST_CASE("a record of CSV ends with its line, and its fields are what stands between commas") {
    CHECK(whole("a,b,c\n").fields == fields{"a", "b", "c"});
    CHECK(whole("a,,\n").fields == fields{"a", "", ""});
    CHECK(whole("\nrest").fields == fields{""});
    CHECK(whole("a,b\r\nrest").fields == fields{"a", "b"});
    CHECK(whole("a\rb\n").fields == fields{"a\rb"});
    CHECK(whole("a,b").fields == fields{"a", "b"});
    CHECK(whole("a,b\r").fields == fields{"a", "b"});
    CHECK(whole("ab,c\nd\n").bytes == 5);
    CHECK(whole("ab,c").lines == 1);
}

TEST_CASE("in quotes a field of CSV holds commas, quotes and line breaks") {
    const auto one = whole("1,\"a, \"\"b\"\"\nc\",\"\"\r\n2,x,y\n");
    CHECK(one.fields == fields{"1", "a, \"b\"\nc", ""});
    CHECK(one.lines == 2);
    CHECK(one.bytes == 19);
    CHECK(whole("\"a\"").fields == fields{"a"});
}

TEST_CASE("what is no CSV is passed over to the end of its line, with the reason") {
    const auto inside = whole("1,5\" disk,x\n2,y,z\n");
    CHECK_THAT(inside.fault, ContainsSubstring("a quote stands inside a field"));
    CHECK(inside.bytes == 12);
    const auto behind = whole("1,\"a\"b,x\n2\n");
    CHECK_THAT(behind.fault, ContainsSubstring("follows the quote"));
    CHECK(behind.bytes == 9);
    const auto open = whole("1,\"a\n2,b\n3,c\n");
    CHECK_THAT(open.fault, ContainsSubstring("not closed before the end of the file"));
    CHECK(open.bytes == 5);
    CHECK(open.lines == 1);
}

TEST_CASE("CSV that comes in pieces is read as if it had come at once") {
    const std::string text = "h,i\r\n1,\"a\"\"\r\nb\"\r\n,\n2,5\" x\n3,\"\"\r\n\"open\n4,y";
    const auto all = all_of(text);
    REQUIRE(all.size() == 7);
    CHECK(all[1].fields == fields{"1", "a\"\r\nb"});
    CHECK(all[2].fields == fields{"", ""});
    CHECK_FALSE(all[3].fault.empty());
    CHECK(all[4].fields == fields{"3", ""});
    CHECK_FALSE(all[5].fault.empty());
    CHECK(all[6].fields == fields{"4", "y"});
    std::size_t from = 0, lines = 0;
    for (const auto& one : all) {
        const auto same = read_csv_record(std::string_view{text}.substr(from), true);
        REQUIRE(same);
        CHECK(same->fields == one.fields);
        CHECK(same->fault == one.fault);
        from += one.bytes;
        lines += one.lines;
    }
    CHECK(from == text.size());
    CHECK(lines == 8);
    CHECK_FALSE(read_csv_record("", true));
}

TEST_CASE("the end of a record is found without holding it, where the record ends that is read") {
    for (const std::string_view record :
         {"\n", "a,b\n", "a,\"b\r\n\"\"c\",d\r\n", "\"\"\n", "\"\"\"\n\"\n", "a\"b,\"c\n", "\"a\"b\"\n",
          "a\rb,\"\n\"\n", "\"a\"\r\n", ",\"\n,\"\"\",\n"}) {
        const auto text = std::string{record} + "x,\"y\n";
        CAPTURE(text);
        for (std::size_t cut = 0; cut <= text.size(); ++cut) {
            errand::csv_record_end end;
            auto bytes = end.look_in(std::string_view{text}.substr(0, cut));
            if (!end.is_found()) bytes += end.look_in(std::string_view{text}.substr(cut));
            CHECK(end.is_found());
            CHECK(bytes == record.size());
        }
        CHECK(whole(text).bytes == record.size());
    }
    errand::csv_record_end end;
    CHECK(end.look_in("a,\"b\n") == 5);
    CHECK_FALSE(end.is_found());
    CHECK(end.is_in_quotes());
}
