// Large answers are made smaller for who can read that.
#include "service/counter.hpp"

#include <boost/beast/zlib/inflate_stream.hpp>
#include <boost/crc.hpp>

#include <catch2/catch_test_macros.hpp>

using service_test::client;
using service_test::counter;
using service_test::response;
namespace zlib = boost::beast::zlib;

namespace {

constexpr std::size_t head_size = 10;
constexpr std::size_t tail_size = 8;

std::uint32_t number_at(std::string_view bytes) {
    std::uint32_t number = 0;
    for (int i = 3; i >= 0; --i)
        number = number << 8U | static_cast<unsigned char>(bytes[static_cast<std::size_t>(i)]);
    return number;
}

std::string unzipped(const std::string& packed) {
    REQUIRE(packed.size() > head_size + tail_size);
    CHECK(packed.starts_with("\x1f\x8b\x08"));
    const auto tail = std::string_view{packed}.substr(packed.size() - tail_size);
    std::string text(number_at(tail.substr(4)), '\0');
    zlib::inflate_stream stream;
    stream.reset(15);
    zlib::z_params now;
    now.next_in = packed.data() + head_size;
    now.avail_in = packed.size() - head_size;
    now.next_out = text.data();
    now.avail_out = text.size();
    boost::system::error_code ec;
    stream.write(now, zlib::Flush::finish, ec);
    CHECK(ec == zlib::error::end_of_stream);
    // For some streams this reader takes a byte of what follows them, and does not see their end without one.
    CHECK(now.avail_in <= tail_size);
    CHECK(now.avail_in + 1 >= tail_size);
    CHECK(now.avail_out == 0);
    boost::crc_32_type sum;
    sum.process_bytes(text.data(), text.size());
    CHECK(sum.checksum() == number_at(tail));
    return text;
}

response look(client& at, const std::string& path, const std::string& reads) {
    return at.ask("GET", path, {}, {"Accept-Encoding: " + reads});
}

}  // namespace

TEST_CASE("large answers are compressed for who reads gzip, and for nobody else", "[service]") {
    counter t;
    auto at = t.connect();
    // More than one slice of it, and not all alike.
    for (int i = 0; i < 40; ++i) {
        std::string text;
        for (int n = 0; n < 1000; ++n) text += std::to_string(i * n * 7919) + ' ';
        t.submit(R"({"handler": "parcel", "args": [")" + text + R"("]})");
    }
    const auto path = t.path("/tasks?state=ready&limit=1000");
    const auto plain = at.ask("GET", path);
    CHECK(plain.body.size() > 200'000);
    CHECK_FALSE(plain.headers.contains("content-encoding"));
    CHECK(plain.headers.at("vary") == "Accept-Encoding");
    for (const auto* reads : {"gzip", "deflate, GZIP;q=0.5", "br;q=1, *;q=0.1", "identity;q=0, x-gzip",
                              "gzip ; Q=0.001", "gzip;q=1.000, identity", "*;q=0, gzip", "gzip;eq=0"}) {
        INFO(reads);
        const auto got = look(at, path, reads);
        CHECK(got.headers.at("content-encoding") == "gzip");
        CHECK(got.headers.at("vary") == "Accept-Encoding");
        CHECK(got.body.size() < plain.body.size() / 2);
        CHECK(unzipped(got.body) == plain.body);
    }
    for (const auto* reads :
         {"gzip;q=0", "br", "gzip; q=0.000, *", "identity", "*;q=0", "", "gzip;q=0.5, identity;q=0.8",
          "gzip;q=yes", "gzip;q=", "gzip;q=7", "gzip;q=1.5", "gzip;q=0.0000", "*;q=0.5, gzip;q=0"}) {
        INFO(reads);
        const auto got = look(at, path, reads);
        CHECK_FALSE(got.headers.contains("content-encoding"));
        CHECK(got.headers.at("vary") == "Accept-Encoding");
        CHECK(got.body == plain.body);
    }
    // The list may come in parts.
    const auto parts = at.ask("GET", path, {}, {"Accept-Encoding: br", "Accept-Encoding: gzip"});
    CHECK(parts.headers.at("content-encoding") == "gzip");
    const auto refused = at.ask("GET", path, {}, {"Accept-Encoding: *", "Accept-Encoding: gzip;q=0"});
    CHECK_FALSE(refused.headers.contains("content-encoding"));
    // HEAD tells what GET would.
    for (const auto* reads : {"gzip", "br"}) {
        INFO(reads);
        auto told = at.ask("HEAD", path, {}, {std::string{"Accept-Encoding: "} + reads}).headers;
        auto given = look(at, path, reads).headers;
        for (auto* one : {&told, &given}) one->erase("x-request-id");
        CHECK(told == given);
    }
}

TEST_CASE("small answers and refusals are as they are", "[service]") {
    counter t;
    auto at = t.connect();
    const auto got = look(at, "/healthz", "gzip");
    CHECK_FALSE(got.headers.contains("content-encoding"));
    CHECK_FALSE(got.headers.contains("vary"));
    CHECK(got.json().at("status") == "ok");
    CHECK(look(at, t.path("/tasks"), "gzip").error_code() == "bad_request");
}

TEST_CASE("tasks that are claimed in a large answer arrive with it", "[service]") {
    counter t;
    auto at = t.connect();
    t.submit(R"({"handler": "py_thing", "queue": "foreign", "args": [")" + std::string(5000, 'x') + R"("]})");
    const auto got =
        at.ask("POST", t.path("/work:claim"),
               R"({"worker": "py", "queues": {"foreign": 1}, "wait_ms": 60000})", {"Accept-Encoding: gzip"});
    CHECK(got.headers.at("content-encoding") == "gzip");
    CHECK(unzipped(got.body).find("xxxxx") != std::string::npos);
    CHECK(t.tasks_in(errand::state::working, "foreign") == 1);
}
