#include <errand/error.hpp>

#include "json_forms.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <limits>

using namespace forms;
using namespace std::chrono_literals;

namespace {

// What from_json<T> says of this text.
template <class T>
std::string fault(boost::json::string_view text) {
    try {
        static_cast<void>(errand::from_json<T>(errand::detail::parse_json(text, "test")));
    } catch (const errand::bad_data& refused) {
        return refused.what();
    }
    return "nothing";
}

// What to_json says of this value.
template <class T>
std::string encode_fault(const T& value) {
    try {
        static_cast<void>(errand::to_json(value));
    } catch (const errand::bad_data& refused) {
        return refused.what();
    }
    return "nothing";
}

}  // namespace

TEST_CASE("an error names the path, what was expected and what was there") {
    CHECK(fault<order>(R"({"cents":"9x"})") == R"(value.cents: expected an integer, got string "9x")");
    CHECK(fault<order>(R"({"id":5})") == "value.id: expected a string, got 5");
    CHECK(fault<order>(R"({"id":null})") == "value.id: expected a string, got null");
    CHECK(fault<order>("[1,2]") == "value: expected an object, got an array of 2");
    CHECK(fault<std::vector<order>>(R"([{},{"cents":{}}])") ==
          "value[1].cents: expected an integer, got an object");
    CHECK(fault<tree>(R"({"branches":[{"branches":[{"name":true}]}]})") ==
          "value.branches[0].branches[0].name: expected a string, got true");
    CHECK(fault<std::map<std::string, int>>(R"({"a b":"x"})") ==
          R"(value["a b"]: expected an integer, got string "x")");
    CHECK(fault<std::map<std::string, int>>(R"({"a_1":"x"})") ==
          R"(value.a_1: expected an integer, got string "x")");
    CHECK(fault<std::map<std::string, int>>(R"({"":[]})") ==
          R"(value[""]: expected an integer, got an array of 0)");
    CHECK(fault<std::optional<int>>(R"("")") == R"(value: expected an integer, got string "")");
}

TEST_CASE("a long text in an error is cut between characters and stays one line") {
    std::string text(59, 'x');
    text += "ü and more";
    CHECK(fault<int>('"' + text + '"') ==
          "value: expected an integer, got string \"" + std::string(59, 'x') + "...\"");
    CHECK(fault<int>('"' + std::string(60, 'y') + '"') ==
          "value: expected an integer, got string \"" + std::string(60, 'y') + "\"");
    CHECK(fault<int>(R"("a\nb")") == R"(value: expected an integer, got string "a\nb")");
}

TEST_CASE("a number that does not fit says the range") {
    CHECK(fault<std::int8_t>("128") == "value: expected an integer from -128 to 127, got 128");
    CHECK(fault<std::uint8_t>("-1") == "value: expected an integer from 0 to 255, got -1");
    CHECK(fault<std::uint8_t>("1e300") == "value: expected an integer from 0 to 255, got 1e+300");
    CHECK(fault<char16_t>("65536") == "value: expected an integer from 0 to 65535, got 65536");
    const std::string int64_range = "an integer from -9223372036854775808 to 9223372036854775807";
    CHECK(fault<std::int64_t>("9223372036854775808") ==
          "value: expected " + int64_range + ", got 9223372036854775808");
    CHECK(fault<std::int64_t>("9.223372036854775808e18") ==
          "value: expected " + int64_range + ", got 9223372036854775808");
    CHECK(fault<std::int64_t>("-1e19").starts_with("value: expected an integer from -9223372036854775808"));
    CHECK(fault<std::uint64_t>("18446744073709551616")
              .starts_with("value: expected an integer from 0 to 1844674407"));
    CHECK(fault<std::uint64_t>("-0.0") == "nothing");
    CHECK(fault<int>("1.5") == "value: expected an integer, got 1.5");
    CHECK(fault<float>("3.5e38") ==
          "value: expected a number from -3.4028235e+38 to 3.4028235e+38, got 3.5e+38");
    CHECK(fault<double>("1e400") == "value: expected a finite number, got inf");
    CHECK(fault<double>("true") == "value: expected a number, got true");
    CHECK(fault<level>("300") == "value: expected an integer from 0 to 255, got 300");
    CHECK(fault<std::chrono::seconds>(R"("1s")") == R"(value: expected an integer, got string "1s")");
    CHECK(fault<std::chrono::system_clock::time_point>("9223372036855") ==
          "value: expected an integer from -9223372036854 to 9223372036854, got 9223372036855");
}

TEST_CASE("truth, null and enumerators are read strictly") {
    CHECK(fault<bool>("1") == "value: expected true or false, got 1");
    CHECK(fault<std::monostate>("0") == "value: expected null, got 0");
    CHECK(fault<color>(R"("purple")") == R"(value: expected one of red, green, blue, got string "purple")");
    CHECK(fault<color>("7") == "value: expected one of red, green, blue, got 7");
}

TEST_CASE("lists of a fixed length say which") {
    CHECK(fault<std::array<int, 2>>("[1]") == "value: expected an array of 2, got an array of 1");
    CHECK(fault<std::pair<int, int>>("[1,2,3]") == "value: expected an array of 2, got an array of 3");
    CHECK(fault<std::tuple<int, bool>>("[1,2]") == "value[1]: expected true or false, got 2");
    CHECK(fault<std::vector<int>>("{}") == "value: expected an array, got an object");
}

TEST_CASE("a variant says what is wrong with its index") {
    using either = std::variant<int, std::string>;
    CHECK(fault<either>("5") == "value: expected [index, value], got 5");
    CHECK(fault<either>("[0]") == "value: expected [index, value], got an array of 1");
    CHECK(fault<either>("[2,5]") == "value[0]: expected an integer from 0 to 1, got 2");
    CHECK(fault<either>("[1,5]") == "value[1]: expected a string, got 5");
}

TEST_CASE("what a tag_invoke throws becomes bad_data with the path") {
    CHECK(fault<std::vector<money>>(R"(["1 ct","x"])") == "value[1]: stoll");
    CHECK(fault<celsius>("5") == "value: value is not an object");
    CHECK(fault<money>("5") == "value: value is not a string");
    CHECK(encode_fault(std::vector<money>{money{-1}}) == "value[0]: money is never negative");
}

TEST_CASE("what JSON cannot hold is refused when it is encoded") {
    CHECK(encode_fault(std::vector<double>{0, std::nan("")}) == "value[1]: JSON cannot hold a NaN");
    CHECK(encode_fault(-std::numeric_limits<float>::infinity()) ==
          "value: JSON cannot hold an infinite number");
    CHECK(encode_fault(std::numeric_limits<long double>::max()) ==
          "value: JSON cannot hold an infinite number");
    CHECK(encode_fault(std::chrono::duration<double>{std::nan("")}) == "value: JSON cannot hold a NaN");
    CHECK(encode_fault(order{"a\xff", 1, {}}) ==
          "value.id: not valid UTF-8 at byte 1, which JSON cannot hold");
    CHECK(encode_fault(std::map<std::string, int>{{"ab\xc3", 1}}) ==
          "value: a key is not valid UTF-8 at byte 2, which JSON cannot hold");
    CHECK(encode_fault(boost::json::value{{"a", {1, std::nan("")}}}) == "value.a[1]: JSON cannot hold a NaN");
    CHECK(encode_fault(boost::json::value{{"a", "\xff"}}) ==
          "value.a: not valid UTF-8 at byte 0, which JSON cannot hold");
    CHECK(encode_fault(static_cast<color>(3)) == "value: the value 3 has no enumerator");
    CHECK(encode_fault(std::chrono::sys_time<std::chrono::hours>::max()) ==
          "value: a time too far from 1970");
    CHECK(encode_fault(std::chrono::sys_time<std::chrono::duration<double>>{
              std::chrono::duration<double>{std::nan("")}}) == "value: a time too far from 1970");
}

TEST_CASE("nesting ends at max_json_depth, written or read") {
    tree deepest;
    for (int pairs = 1; pairs < errand::max_json_depth / 2; ++pairs) deepest = tree{"x", {deepest}};
    CHECK(encode_fault(deepest) == "nothing");
    CHECK(there_and_back(deepest) == deepest);
    CHECK(encode_fault(tree{"x", {deepest}}).ends_with(": nested deeper than 64 (max_json_depth)"));

    boost::json::value nested;
    for (int level = 0; level < errand::max_json_depth; ++level) nested = boost::json::array{nested};
    CHECK(encode_fault(nested) == "nothing");
    CHECK(encode_fault(boost::json::value(boost::json::array{nested}))
              .ends_with("nested deeper than 64 (max_json_depth)"));

    boost::json::value branches = boost::json::object{};
    for (int pairs = 0; pairs < errand::max_json_depth; ++pairs) {
        branches = boost::json::object{{"branches", boost::json::array{branches}}};
    }
    CHECK_THROWS_AS(errand::from_json<tree>(branches), errand::bad_data);
}

TEST_CASE("text that is no JSON is refused with the position") {
    const auto parse_fault = [](std::string_view text) -> std::string {
        try {
            static_cast<void>(errand::detail::parse_json(text, "args"));
        } catch (const errand::bad_data& refused) {
            return refused.what();
        }
        return "nothing";
    };
    CHECK(parse_fault("[1,") == "args: cannot be read as JSON, at byte 3: incomplete JSON");
    CHECK(parse_fault("[1] 2") == "args: cannot be read as JSON, at byte 4: extra data");
    CHECK(parse_fault("[1]  \n") == "nothing");
    CHECK(parse_fault("") == "args: cannot be read as JSON, at byte 0: incomplete JSON");
    CHECK(parse_fault("[nope]") == "args: cannot be read as JSON, at byte 1: syntax error");
    CHECK(parse_fault("[\"\xff\"]") == "args: cannot be read as JSON, at byte 2: syntax error");
    const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
    CHECK(parse_fault(nested(64)) == "nothing");
    CHECK(parse_fault(nested(65)) == "args: cannot be read as JSON, at byte 64: too deep");
}
