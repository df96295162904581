#include <errand/error.hpp>

#include "json_forms.hpp"

#include <boost/json/monotonic_resource.hpp>

#include <catch2/catch_test_macros.hpp>

#include <limits>

using namespace forms;
using namespace std::chrono_literals;

TEST_CASE("every form comes back as it went") {
    everything changed;
    changed.truth = false;
    changed.letter = 'z';
    changed.maybe = 9;
    changed.either = 12;
    changed.bytes = {255};
    changed.bits = {false};
    changed.sorted = {{"schlüssel \"1\"", -1}};
    changed.orders.clear();
    changed.free = {{"deep", {1, {2, {3}}}}};
    CHECK(there_and_back(changed) == changed);
    CHECK(there_and_back(everything{}) == everything{});
    CHECK(there_and_back(tree{"a", {{"b", {{"c", {}}}}, {"d", {}}}}).branches.size() == 2);
    CHECK(there_and_back(color::blue) == color::blue);
    CHECK(there_and_back(level::high) == level::high);
    CHECK(there_and_back(celsius{21.5}) == celsius{21.5});
    CHECK(there_and_back(invoice{money{3}, {money{1}, money{2}}, {money{4}, 5}}).parts.at(1).cents == 2);
    CHECK(there_and_back(std::array<money, 2>{money{1}, money{2}})[1].cents == 2);
    CHECK(there_and_back(std::map<std::string, money>{{"a", money{1}}}).at("a").cents == 1);
    CHECK(there_and_back(std::optional<money>{money{1}})->cents == 1);
}

TEST_CASE("integers reach to both ends of their range") {
    const auto ends = []<class T>(T) {
        CHECK(there_and_back(std::numeric_limits<T>::min()) == std::numeric_limits<T>::min());
        CHECK(there_and_back(std::numeric_limits<T>::max()) == std::numeric_limits<T>::max());
    };
    ends(std::int8_t{});
    ends(std::uint8_t{});
    ends(std::int16_t{});
    ends(std::uint32_t{});
    ends(std::int64_t{});
    ends(std::uint64_t{});
    ends(char{});
    ends(char8_t{});
    ends(char16_t{});
    ends(char32_t{});
    ends(wchar_t{});
}

TEST_CASE("a whole number may be written as a real one, and a real member takes whole ones") {
    CHECK(read<int>("3.0") == 3);
    CHECK(read<int>("-3e2") == -300);
    CHECK(read<std::uint8_t>("2.55e2") == 255);
    CHECK(read<std::int64_t>("-9.223372036854775808e18") == std::numeric_limits<std::int64_t>::min());
    CHECK(read<std::uint64_t>("1e19") == 10000000000000000000U);
    CHECK(read<double>("3") == 3.0);
    CHECK(read<double>("18446744073709551615") == 18446744073709551615.0);
    CHECK(read<float>("-3") == -3.0F);
    CHECK(read<float>("3.4028235e38") == std::numeric_limits<float>::max());
}

TEST_CASE("a missing member keeps what it has in T{}, at any depth") {
    CHECK(read<with_defaults>("{}") == with_defaults{});
    CHECK(read<with_defaults>(R"({"retries":1})").first.id == "o-0");
    const auto partly = read<with_defaults>(R"({"first":{"cents":8}})");
    CHECK(partly.first == order{"o-0", 8, "c"});
    CHECK(partly.retries == 5);
    CHECK(partly.limit == 3);
    CHECK(read<with_defaults>(R"({"limit":null})").limit == std::nullopt);
    CHECK(read<order>("{}").coupon == std::nullopt);
    CHECK(read<invoice>("{}") == invoice{});
}

TEST_CASE("members that the type does not have are ignored") {
    CHECK(read<order>(R"({"id":"a","colour":{"deep":[1,2]},"cents":2})") == order{"a", 2, {}});
    CHECK(read<nothing>(R"({"a":1})") == nothing{});
}

TEST_CASE("a decoded JSON value outlives the document it came from") {
    boost::json::value kept;
    boost::json::array list;
    boost::json::object map;
    {
        boost::json::monotonic_resource memory;
        const auto document =
            errand::detail::parse_json(R"({"a":["a text too long for any small buffer"]})", "test", &memory);
        kept = errand::from_json<boost::json::value>(document);
        list = errand::from_json<boost::json::array>(document.at("a"));
        map = errand::from_json<boost::json::object>(document);
        CHECK(*errand::from_json<boost::json::value>(document).storage() == *boost::json::storage_ptr{});
    }
    CHECK(kept.at("a").at(0) == "a text too long for any small buffer");
    CHECK(list.at(0) == "a text too long for any small buffer");
    CHECK(map.at("a") == list);
}

TEST_CASE("times of any unit are read from milliseconds") {
    using seconds_point = std::chrono::sys_seconds;
    using nanos_point = std::chrono::sys_time<std::chrono::nanoseconds>;
    CHECK(read<seconds_point>("-1") == seconds_point{-1s});
    CHECK(read<seconds_point>("1999") == seconds_point{1s});
    CHECK(read<nanos_point>("5") == nanos_point{5ms});
    CHECK(read<std::chrono::sys_days>("172800001") == std::chrono::sys_days{std::chrono::days{2}});
    CHECK(there_and_back(std::chrono::system_clock::time_point::max()) ==
          std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::time_point::max()));
}

TEST_CASE("an array of bytes is read as numbers") {
    CHECK(read<std::vector<std::uint8_t>>("[0,255,7]") == std::vector<std::uint8_t>{0, 255, 7});
    CHECK(read<std::array<std::uint8_t, 2>>("[1,2]") == std::array<std::uint8_t, 2>{1, 2});
}
