#include <errand/detail/wire.hpp>
#include <errand/error.hpp>

#include "json_forms.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <limits>

using namespace forms;
using namespace std::chrono_literals;

TEST_CASE("numbers, truth and text have their JSON forms") {
    CHECK(text_of(true) == "true");
    CHECK(text_of(std::int64_t{-5}) == "-5");
    CHECK(text_of(std::numeric_limits<std::int64_t>::min()) == "-9223372036854775808");
    CHECK(text_of(std::numeric_limits<std::uint64_t>::max()) == "18446744073709551615");
    CHECK(text_of('a') == "97");
    CHECK(text_of(u'a') == "97");
    CHECK(text_of(1.5) == "1.5E0");
    CHECK(text_of(-0.0) == "-0E0");
    CHECK(text_of(std::string{"a\"b\\c\n\x01/\x7f"}) == R"("a\"b\\c\n\u0001/)"
                                                        "\x7f\"");
    CHECK(text_of(std::string_view{"grün ☃ 𝄞"}) == "\"grün ☃ 𝄞\"");
    CHECK(text_of(std::string("a\0b", 3)) == R"("a\u0000b")");
}

TEST_CASE("long texts are escaped wherever the escape stands") {
    for (std::size_t at = 0; at < 40; ++at) {
        for (const char special : {'"', '\\', '\n', '\x02'}) {
            std::string text(40, 'x');
            text[at] = special;
            CHECK(text_of(text) == boost::json::serialize(boost::json::value(text)));
        }
    }
}

TEST_CASE("times are milliseconds since 1970, durations their own count") {
    CHECK(text_of(errand::time_point{1234ms}) == "1234");
    CHECK(text_of(std::chrono::sys_time<std::chrono::nanoseconds>{1999999ns}) == "1");
    CHECK(text_of(std::chrono::sys_time<std::chrono::nanoseconds>{-1ns}) == "-1");
    CHECK(text_of(std::chrono::sys_days{std::chrono::days{2}}) == "172800000");
    CHECK(text_of(90s) == "90");
    CHECK(text_of(1500us) == "1500");
    CHECK(text_of(std::chrono::duration<double>{0.5}) == "5E-1");
}

TEST_CASE("empty optionals, monostate and empty structures have their forms") {
    CHECK(text_of(std::optional<int>{}) == "null");
    CHECK(text_of(std::optional<int>{4}) == "4");
    CHECK(text_of(std::monostate{}) == "null");
    CHECK(text_of(nothing{}) == "{}");
    CHECK(text_of(std::vector<int>{}) == "[]");
    CHECK(text_of(std::map<std::string, int>{}) == "{}");
    CHECK(text_of(std::tuple<>{}) == "[]");
    CHECK(text_of(std::array<int, 0>{}) == "[]");
}

TEST_CASE("a variant is its index and its value") {
    using either = std::variant<int, std::string, int>;
    CHECK(text_of(either{"x"}) == R"([1,"x"])");
    CHECK(text_of(either{std::in_place_index<2>, 5}) == "[2,5]");
}

TEST_CASE("an aggregate is an object of its members in their order") {
    CHECK(text_of(order{"o-1", 990, {}}) == R"({"id":"o-1","cents":990,"coupon":null})");
    CHECK(text_of(tree{"a", {{"b", {}}}}) == R"({"name":"a","branches":[{"name":"b","branches":[]}]})");
    CHECK(text_of(everything{}) ==
          R"({"truth":true,"letter":97,"tiny":-1,"huge":18446744073709551615,"ratio":1.0000000149011612E-1,)"
          R"("share":2.5E0,"wait":90,"at":1763700000123,"maybe":null,"either":[1,"right"],"bytes":[1,2],)"
          R"("bits":[true,false],"both":[3,4],"sorted":{"a":1,"b":2},)"
          R"("orders":{"k":{"id":"o","cents":1,"coupon":null}},"couple":[1,"x"],"flagged":[true,5E-1],)"
          R"("free":[1,"two",null],"empty":{},"unit":null})");
}

TEST_CASE("described enums travel by name, others by number") {
    CHECK(text_of(color::green) == R"("green")");
    CHECK(text_of(color::blue) == R"("blue")");
    CHECK(text_of(level::high) == "200");
}

TEST_CASE("a type's own tag_invoke goes before everything else") {
    CHECK(text_of(money{5}) == R"("5 ct")");
    CHECK(text_of(celsius{1}) == R"({"celsius":1E0})");
    CHECK(text_of(invoice{money{3}, {money{1}}, {money{2}, 0}}) ==
          R"({"total":"3 ct","parts":["1 ct"],"rest":["2 ct",0]})");
}

TEST_CASE("to_json of a JSON value is that value") {
    const boost::json::value value = {{"a", {1, 2.5, nullptr, "x"}}, {"b", 18446744073709551615U}};
    CHECK(errand::to_json(value) == value);
    CHECK(errand::to_json(value.as_object()) == value);
    CHECK(errand::to_json(value.at("a").as_array()) == value.at("a"));
    CHECK(errand::to_json(boost::json::string{"x"}) == boost::json::value{"x"});
}

TEST_CASE("the text of arguments is what Boost.JSON would write") {
    const everything all;
    const order one{"o-1", 990, "c"};
    const std::string text = errand::detail::encode_args_text(std::tie(all, one));
    CHECK(text == boost::json::serialize(boost::json::array{errand::to_json(all), errand::to_json(one)}));
    CHECK(errand::detail::encode_args_text(std::tuple<>{}) == "[]");
}

TEST_CASE("real numbers come back as they were") {
    for (const double number :
         {0.1, 1e-310, 5e-324, 1.7976931348623157e308, 1e22, 1e23, 123456789.123456789, -2.2e-16}) {
        CHECK(there_and_back(number) == number);
    }
    for (const float number :
         {0.1F, std::numeric_limits<float>::max(), std::numeric_limits<float>::denorm_min()}) {
        CHECK(there_and_back(number) == number);
    }
    CHECK(std::signbit(there_and_back(-0.0)));
}
