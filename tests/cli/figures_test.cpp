// `errand figures`, run as a program, and how figures are shown.
#include "cli/figure_views.hpp"
#include "cli/office.hpp"
#include "cli/views.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;
using cli_test::office;

namespace {

errand::figures_info some_figures() {
    errand::figures_info seen{.over = 65min, .backlog = 4, .oldest = 3min};
    seen.handlers = {{.handler = "rare", .runs = 1, .backlog = 1, .oldest = 3min},
                     {.handler = "mail",
                      .runs = 1300,
                      .failures = 12,
                      .wait = {.count = 1300, .p50 = 900us, .p90 = 4ms, .p99 = 12ms, .most = 1s},
                      .run = {.count = 1300, .p50 = 3200us, .p90 = 40ms, .p99 = 1400ms, .most = 90s}}};
    seen.all = {.handler = {}, .runs = 1301, .failures = 12};
    return seen;
}

}  // namespace

TEST_CASE("figures are shown of a namespace in which nothing has run", "[cli]") {
    office t;
    CHECK_THAT(t.errand({"figures"}).out, ContainsSubstring("0 runs in 1h"));
    const auto seen = t.answer({"figures"});
    CHECK(seen.at("handlers").as_array().empty());
    CHECK(seen.at("all").at("handler").is_null());
    CHECK(seen.at("backlog") == 0);
    CHECK(t.answer({"top"}).at("figures").at("all").at("runs") == 0);
}

TEST_CASE("handlers with most runs are shown first, with the times of most of their runs") {
    const auto seen = some_figures();
    const auto text = errand::cli::figure_table(seen, 10).text(0);
    CHECK(text.find("mail") < text.find("rare"));
    CHECK_THAT(text, ContainsSubstring("900us") && ContainsSubstring("12ms") && ContainsSubstring("3.2ms") &&
                         ContainsSubstring("1.4s"));
    CHECK_THAT(errand::cli::figure_table(seen, 1).text(0), !ContainsSubstring("rare"));
    CHECK(errand::cli::figure_summary(seen) == "1301 runs in 1h 5m; 4 tasks are queued, the oldest since 3m");
    const auto json = errand::cli::json_of(seen);
    CHECK(json.at("handlers").at(1).at("run").at("p99_us") == 1'400'000);
    CHECK(json.at("handlers").at(1).at("runs_per_second").as_double() > 0.3);
    CHECK(json.at("oldest_ms") == 180'000);
    errand::cli::top_view view;
    CHECK_THAT(frame_text(view, {120, 0}), !ContainsSubstring("wait 50%"));
    view.figures = seen;
    CHECK_THAT(frame_text(view, {120, 0}), ContainsSubstring("wait 50%") && ContainsSubstring("mail"));
}

TEST_CASE("short lengths are shown to two digits") {
    using errand::cli::fine_length_text;
    CHECK(fine_length_text(0us) == "0us");
    CHECK(fine_length_text(999us) == "999us");
    CHECK(fine_length_text(1500us) == "1.5ms");
    CHECK(fine_length_text(23'400us) == "23ms");
    CHECK(fine_length_text(2'500'000us) == "2.5s");
    CHECK(fine_length_text(90s) == "1m 30s");
}
