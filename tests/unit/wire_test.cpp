#include <errand/detail/wire.hpp>
#include <errand/error.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>

#include <memory>
#include <stdexcept>

using namespace errand::detail;

namespace wire {

struct wire_order {
    std::string id;
    std::int64_t cents = 0;
    bool operator==(const wire_order&) const = default;
};

// Counts how often it was copied, and is a string on the wire.
struct counted_text {
    std::string text;
    static inline int copies = 0;
    counted_text(const char* from = "") : text{from} {}
    counted_text(const counted_text& other) : text{other.text} { ++copies; }
    counted_text(counted_text&&) = default;
    counted_text& operator=(counted_text&&) = default;
};
inline void tag_invoke(boost::json::value_from_tag, boost::json::value& into, const counted_text& from) {
    into = from.text;
}
inline counted_text tag_invoke(boost::json::value_to_tag<counted_text>, const boost::json::value& from) {
    return counted_text{from.as_string().c_str()};
}

struct pay {
    errand::awaitable<void> perform(wire_order, std::int16_t, std::optional<std::string>);
    static std::string biz_id(const wire_order& o, std::int16_t n, const std::optional<std::string>&) {
        return o.id + "/" + std::to_string(n);
    }
};
struct tick {
    errand::awaitable<void> perform();
};
struct keep {
    errand::awaitable<void> perform(const counted_text&);
    static const char* biz_id(const counted_text& c) { return c.text.c_str(); }
};
struct refuses {
    errand::awaitable<void> perform(int);
    static std::string biz_id(int) { throw std::invalid_argument{"no identity"}; }
};
struct ratio {
    errand::awaitable<void> perform(double, double);
};
struct counts {
    errand::awaitable<void> perform(std::size_t);
};
struct nested_tuple {
    errand::awaitable<void> perform(std::tuple<int>);
};
struct free_form {
    errand::awaitable<void> perform(boost::json::value);
};

struct keyed {
    errand::awaitable<void> perform(std::int16_t, std::string);
    static std::string concurrency_key(std::int16_t n, const std::string& who) {
        return who + std::to_string(n);
    }
    static std::string rate_key(std::int16_t, const std::string& who) { return who; }
};

}  // namespace wire

using namespace wire;

TEST_CASE("arguments are converted to perform's parameters and sent as an array") {
    const encoded_call call = encode_call<pay>(wire_order{"o-1", 990}, 7, "text");
    CHECK(call.args == R"([{"id":"o-1","cents":990},7,"text"])");
    CHECK(call.biz_id == "o-1/7");
    CHECK(encode_call<pay>(wire_order{"o-1", 990}, short{7}, std::nullopt).args ==
          R"([{"id":"o-1","cents":990},7,null])");
}

TEST_CASE("a handler without arguments sends an empty array, one without biz_id no identity") {
    const encoded_call call = encode_call<tick>();
    CHECK(call.args == "[]");
    CHECK(call.biz_id == std::nullopt);
    CHECK(decode_args<tick>({}) == std::tuple<>{});
}

TEST_CASE("the keys of a handler see what perform will see, and are none while an argument is not known") {
    const auto call = encode_call<keyed>(7LL, "anna");
    REQUIRE(call.keys);
    CHECK(call.keys->concurrency == "anna7");
    CHECK(call.keys->rate == "anna");
    CHECK_FALSE(encode_call<tick>().keys);
    const auto open = encode_open_call<keyed>("anna");
    REQUIRE(open.keys);
    CHECK(open.keys->concurrency.empty());
}

TEST_CASE("an argument of exactly the parameter's type is not copied") {
    const counted_text value{"x"};
    counted_text::copies = 0;
    CHECK(encode_call<keep>(value).args == R"(["x"])");
    CHECK(encode_call<keep>("y").biz_id == "y");
    CHECK(counted_text::copies == 0);
}

TEST_CASE("errors in arguments begin with their place") {
    CHECK_THROWS_WITH(encode_call<ratio>(1.0, 0.0 / 0.0), "args[1]: JSON cannot hold a NaN");
    CHECK_THROWS_WITH(encode_call<pay>(wire_order{"\xff", 1}, 1, std::nullopt),
                      "args[0].id: not valid UTF-8 at byte 0, which JSON cannot hold");
    CHECK_THROWS_AS(encode_call<refuses>(1), std::invalid_argument);
}

TEST_CASE("a number that does not fit the parameter's type is refused, not cut") {
    CHECK(encode_call<pay>(wire_order{}, 32767LL, std::nullopt).args ==
          R"([{"id":"","cents":0},32767,null])");
    CHECK_THROWS_WITH(encode_call<pay>(wire_order{}, 32768, std::nullopt),
                      "args[1]: 32768 does not fit the parameter");
    CHECK_THROWS_WITH(encode_call<pay>(wire_order{}, ~std::uint64_t{0}, std::nullopt),
                      "args[1]: 18446744073709551615 does not fit the parameter");
    CHECK_THROWS_WITH(encode_call<counts>(-1), "args[0]: -1 does not fit the parameter");
    CHECK(encode_call<counts>(true).args == "[1]");
    CHECK(encode_call<counts>(3.0).args == "[3]");
    CHECK_THROWS_WITH(encode_call<counts>(1.5), "args[0]: 1.500000 does not fit the parameter");
    CHECK_THROWS_AS(encode_call<counts>(18446744073709551616.0), errand::bad_data);
    CHECK_THROWS_AS(encode_call<counts>(0.0 / 0.0), errand::bad_data);
    CHECK(encode_call<ratio>(1, 2.5F).args == "[1E0,2.5E0]");
}

TEST_CASE("arguments come back as a tuple for perform") {
    const auto array = parse_json(R"([{"id":"o-1","cents":990},7,null])", "args").as_array();
    const std::tuple<wire_order, std::int16_t, std::optional<std::string>> args = decode_args<pay>(array);
    CHECK(args == std::tuple{wire_order{"o-1", 990}, std::int16_t{7}, std::optional<std::string>{}});
}

TEST_CASE("arguments that do not fit perform are bad data with the path") {
    const auto decode = [](std::string_view text) {
        return decode_args<pay>(parse_json(text, "args").as_array());
    };
    CHECK_THROWS_WITH(decode(R"([{"cents":"9x"},1,null])"),
                      R"(args[0].cents: expected an integer, got string "9x")");
    CHECK_THROWS_WITH(decode(R"([{},99999,null])"),
                      "args[1]: expected an integer from -32768 to 32767, got 99999");
    CHECK_THROWS_WITH(decode("[]"), "args: expected 3 arguments, got 0");
    CHECK_THROWS_WITH(decode("[1,2,3,4]"), "args: expected 3 arguments, got 4");
    CHECK_THROWS_WITH(decode_args<keep>({}), "args: expected 1 argument, got 0");
    CHECK_THROWS_AS(decode("[]"), errand::bad_data);
}

TEST_CASE("a lone parameter that is itself a tuple or a JSON value is no list of arguments") {
    CHECK(encode_call<nested_tuple>(std::tuple{1}).args == "[[1]]");
    CHECK(decode_args<nested_tuple>(parse_json("[[1]]", "args").as_array()) ==
          std::make_tuple(std::tuple{1}));
    CHECK(encode_call<free_form>(boost::json::value{1, 2}).args == "[[1,2]]");
    const auto args = decode_args<free_form>(parse_json("[[1,2]]", "args").as_array());
    CHECK(std::get<0>(args) == boost::json::value{1, 2});
}

TEST_CASE("a task without a result, awaited by its name alone, has the value null") {
    CHECK(decode_result<boost::json::value>("").is_null());
    CHECK_THROWS_AS(decode_result<int>(""), errand::bad_data);
}

TEST_CASE("results travel as text and say that they are results") {
    CHECK(encode_result(wire_order{"o-1", 5}) == R"({"id":"o-1","cents":5})");
    CHECK(decode_result<wire_order>(R"({"id":"o-1","cents":5})") == wire_order{"o-1", 5});
    CHECK_THROWS_WITH(decode_result<wire_order>(R"({"id":1})"), "result.id: expected a string, got 1");
    CHECK_THROWS_WITH(decode_result<wire_order>("{"),
                      "result: cannot be read as JSON, at byte 1: incomplete JSON");
    CHECK_THROWS_WITH(encode_result(0.0 / 0.0), "result: JSON cannot hold a NaN");
}
