// Pages of other origins: those that are named may use the REST interface and flows, and nobody else.
#include <errand/error.hpp>
#include <errand/proxy.hpp>

#include "runtime/app_core.hpp"
#include "service/counter.hpp"
#include "service/origins.hpp"
#include "service/token_list.hpp"
#include "support/places.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <spdlog/logger.h>
#include <spdlog/sinks/ostream_sink.h>

#include <filesystem>
#include <fstream>
#include <sstream>

using service_test::counter;
using service_test::response;

namespace {

const std::string shop = "Origin: https://shop.example.com";
const std::string from_elsewhere = "Sec-Fetch-Site: cross-site";

bool may_be_read(const response& got) { return got.headers.contains("access-control-allow-origin"); }

}  // namespace

TEST_CASE("pages of an origin that is named may ask with their token, and read what is answered",
          "[service]") {
    const auto folder = errand::test::temporary_folder("origins");
    const auto file = (folder / "tokens").string();
    std::ofstream{file} << errand::web::token_line("ann", {"view", "submit"}, "ann-token");
    errand::service_options how;
    how.tokens_file = file;
    how.origins = {"https://Shop.Example.com", "http://localhost:3000"};
    counter t{how};
    auto at = t.connect();
    for (const auto& path : {t.path("/queues"), "/flow" + t.path("/tasks")}) {
        const auto got = at.ask("GET", path, {}, {shop, from_elsewhere, "X-Token: ann-token"});
        CHECK(got.status == 200);
        CHECK(got.headers.at("access-control-allow-origin") == "https://shop.example.com");
        CHECK(got.headers.contains("access-control-expose-headers"));
        CHECK_FALSE(got.headers.contains("access-control-allow-credentials"));
        // Also why it is refused.
        const auto nobody = at.ask("GET", path, {}, {shop, from_elsewhere});
        CHECK(nobody.status == 401);
        CHECK(may_be_read(nobody));
        const auto leave = at.ask("OPTIONS", path, {},
                                  {shop, from_elsewhere, "Access-Control-Request-Method: POST",
                                   "Access-Control-Request-Headers: x-token"});
        CHECK(leave.status == 204);
        CHECK(may_be_read(leave));
        CHECK(leave.headers.at("access-control-allow-methods").find("POST") != std::string::npos);
        for (const auto* name : {"X-Token", "traceparent", "tracestate"})
            CHECK(leave.headers.at("access-control-allow-headers").find(name) != std::string::npos);
        CHECK(leave.body.empty());
    }
    const auto made = at.ask("POST", t.path("/tasks"), R"({"handler": "parcel", "args": [1]})",
                             {"Origin: http://localhost:3000", from_elsewhere, "X-Token: ann-token",
                              "Content-Type: application/json"});
    CHECK(made.status == 201);
    CHECK(made.headers.at("access-control-allow-origin") == "http://localhost:3000");
    std::filesystem::remove_all(folder);
}

TEST_CASE("pages of other origins are refused as ever, and the console takes nothing from any", "[service]") {
    for (const bool named : {false, true}) {
        errand::service_options how;
        if (named) how.origins = {"https://shop.example.com"};
        counter t{how};
        auto at = t.connect();
        for (const std::string& other :
             {std::string{"Origin: https://shop.example.com:8443"},
              std::string{"Origin: http://shop.example.com"}, std::string{"Origin: https://evil.example.com"},
              std::string{"Origin: null"}}) {
            INFO(other);
            const auto got = at.ask("GET", t.path("/queues"), {}, {other, from_elsewhere});
            CHECK(got.status == 403);
            CHECK(got.error_code() == "cross_site");
            CHECK_FALSE(may_be_read(got));
            CHECK(at.ask("OPTIONS", t.path("/queues"), {},
                         {other, from_elsewhere, "Access-Control-Request-Method: GET"})
                      .status == 403);
        }
        // Two that could be read in two ways are none.
        CHECK(at.ask("GET", t.path("/queues"), {}, {shop, shop, from_elsewhere}).status == 403);
        CHECK(at.ask("GET", t.path("/queues"), {}, {shop, from_elsewhere}).status == (named ? 200 : 403));
        const auto console = at.ask("POST", "/ui/api/login", R"({"token": "x"})",
                                    {shop, from_elsewhere, "Content-Type: application/json"});
        CHECK(console.status >= 400);
        CHECK_FALSE(may_be_read(console));
    }
}

TEST_CASE("an origin is named as browsers say it, and one without tokens is warned of", "[service]") {
    using Catch::Matchers::ContainsSubstring;
    for (const std::string other :
         {"https://shop.example.com:443", "http://shop.example.com:80", "HTTP://[::1]:80"}) {
        INFO(other);
        CHECK_THROWS_MATCHES(errand::web::read_origin(other), errand::usage_error,
                             Catch::Matchers::MessageMatches(ContainsSubstring("leave out :")));
    }
    for (const std::string fine : {"http://shop.example.com:443", "https://shop.example.com:80",
                                   "https://shop.example.com:8443", "http://localhost:8080"})
        CHECK(errand::web::read_origin(fine) == fine);

    const auto folder = errand::test::temporary_folder("origins");
    const auto file = (folder / "tokens").string();
    std::ofstream{file} << errand::web::token_line("ann", {"view"}, "ann-token");
    std::ostringstream lines;
    auto settings = errand::test::fresh_settings();
    settings.log_level = "warn";
    errand::test::test_app t{settings};
    errand::detail::core_of(t.app).log->sinks() = {std::make_shared<spdlog::sinks::ostream_sink_mt>(lines)};
    errand::service_options how;
    how.origins = {"https://shop.example.com"};
    how.tokens_file = file;
    const errand::service with_tokens{t.app, how};
    CHECK(lines.str().empty());
    how.tokens_file.clear();
    const errand::service without{t.app, how};
    CHECK_THAT(lines.str(), ContainsSubstring("--tokens"));
    std::filesystem::remove_all(folder);
}
