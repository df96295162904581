// Figures as text, and that the list of them is the page that explains them.
#include "core/metric_text.hpp"
#include "core/metrics_address.hpp"
#include "support/metric_lists.hpp"
#include "support/metric_page.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

using errand::metric_form;
using errand::metric_text;
using errand::test::read_metrics;

namespace {

// A page or a source, as it stands in the checkout.
std::string checkout_text(const std::string& path) {
    std::ifstream file{ERRAND_TESTS_DIR "/../" + path};
    std::stringstream all;
    all << file.rdbuf();
    return all.str();
}

std::set<std::string> listed_metrics() {
    std::set<std::string> all;
    for (const auto& one : errand::test::process_metrics) all.emplace(one.name);
    for (const auto& one : errand::test::store_metrics) all.emplace(one.name);
    return all;
}

}  // namespace

TEST_CASE("a counter has its name with _total, whose family OpenMetrics names without") {
    for (const auto form : {metric_form::text, metric_form::open_metrics}) {
        const bool open = form == metric_form::open_metrics;
        metric_text text{form};
        text.begin(errand::metric::leases_recovered);
        text.add({{"queue", "mail"}}, std::uint64_t{9007199254740993});
        const auto page = std::move(text).finish();
        CHECK(page.find("\nerrand_leases_recovered_total{queue=\"mail\"} 9007199254740993\n") != page.npos);
        const std::string family = open ? "# TYPE errand_leases_recovered counter\n"
                                        : "# TYPE errand_leases_recovered_total counter\n";
        CHECK(page.find(family) != page.npos);
        CHECK(page.ends_with("# EOF\n") == open);
        CHECK(read_metrics(page, open).samples.size() == 1);
    }
}

TEST_CASE("a label holds whatever a program names its queues") {
    metric_text text{metric_form::text};
    text.begin(errand::metric::leases_recovered);
    text.add({{"queue", "a\"b\\c\nd\xff"}}, std::uint64_t{1});
    const auto page = std::move(text).finish();
    CHECK(page.find(R"({queue="a\"b\\c\nd)"
                    "\xEF\xBF\xBD"
                    R"("} 1)") != page.npos);
    CHECK_NOTHROW(read_metrics(page));
}

TEST_CASE("a histogram's buckets hold what the ones before hold, and a value on a bound is within it") {
    errand::histogram_cell cell;
    for (const double value : {0.0005, 0.001, 0.002, 4000.0}) cell.add(errand::attempt_bounds, value);
    metric_text text{metric_form::open_metrics};
    text.begin(errand::metric::task_wait);
    text.add({{"queue", "q"}}, cell);
    const auto page = read_metrics(std::move(text).finish(), true);
    const auto bucket = [&](const std::string& le) {
        return page.at(R"(errand_task_wait_seconds_bucket{queue="q",le=")" + le + "\"}");
    };
    CHECK(bucket("0.001") == 2);
    CHECK(bucket("0.0025") == 3);
    CHECK(bucket("3600.0") == 3);
    CHECK(bucket("+Inf") == 4);
    CHECK(page.at(R"(errand_task_wait_seconds_count{queue="q"})") == 4);
    CHECK(page.at(R"(errand_task_wait_seconds_sum{queue="q"})") == 0.0005 + 0.001 + 0.002 + 4000.0);
}

TEST_CASE("a bucket shows the newest trace of what it counts, as OpenMetrics, and in no other format") {
    const std::string first(32, 'a');
    const std::string second(32, 'b');
    errand::histogram_cell cell;
    errand::exemplars seen;
    for (const auto& [trace, seconds] :
         {std::pair{first, 0.002}, std::pair{second, 0.0025}, std::pair{first, 4000.0}}) {
        cell.add(errand::attempt_bounds, seconds);
        keep_newest(seen, errand::attempt_bounds,
                    {.trace_id = trace, .seconds = seconds, .at = 1.75e9 + seconds});
    }
    errand::exemplars older;
    keep_newest(older, errand::attempt_bounds, {.trace_id = first, .seconds = 0.002, .at = 1e9});
    merge_newest(seen, older);
    for (const auto form : {metric_form::text, metric_form::open_metrics}) {
        metric_text text{form};
        text.begin(errand::metric::attempt_duration);
        text.add({{"queue", "q"}}, cell, seen);
        const auto page = read_metrics(std::move(text).finish(), form == metric_form::open_metrics);
        CHECK(page.at(R"(errand_attempt_duration_seconds_bucket{queue="q",le="0.0025"})") == 2);
        if (form == metric_form::text) {
            CHECK(page.traces.empty());
            continue;
        }
        CHECK(page.traces.size() == 2);
        CHECK(page.traces.at(R"(errand_attempt_duration_seconds_bucket{queue="q",le="0.0025"})") == second);
        CHECK(page.traces.at(R"(errand_attempt_duration_seconds_bucket{queue="q",le="+Inf"})") == first);
    }
}

TEST_CASE("bounds rise, and fit into a histogram") {
    for (const auto& all : {std::span<const errand::metric_family>{errand::test::process_metrics},
                            std::span<const errand::metric_family>{errand::test::store_metrics}}) {
        for (const auto& one : all) {
            INFO(one.name);
            CHECK(one.bounds.empty() == (one.kind != errand::metric_kind::histogram));
            CHECK(one.bounds.size() <= errand::most_bounds);
            CHECK(std::ranges::is_sorted(one.bounds));
            CHECK(one.name.ends_with("_total") == (one.kind == errand::metric_kind::counter));
        }
    }
}

TEST_CASE("each metric that is declared is in the lists of the tests") {
    const auto text = checkout_text("src/core/metric_list.hpp");
    std::set<std::string> declared;
    const std::regex family{R"re(metric_family \w+\{\s*"([a-z_]+)")re"};
    for (std::sregex_iterator at{text.begin(), text.end(), family}, end; at != end; ++at)
        declared.insert((*at)[1].str());
    CHECK(declared == listed_metrics());
}

TEST_CASE("metrics have an address and a port, or are refused") {
    for (const auto* good : {":9464", "127.0.0.1:9464", "[::1]:9464", "0.0.0.0:1"}) {
        INFO(good);
        CHECK(errand::parse_metrics_address(good));
    }
    CHECK(errand::parse_metrics_address("[::1]:9464")->host == "::1");
    for (const auto* bad :
         {"9464", ":0", ":65536", ":94x", ":", "::1:9464", "metrics.example:9464", ":9464/metrics"}) {
        INFO(bad);
        CHECK_FALSE(errand::parse_metrics_address(bad));
    }
}

TEST_CASE("docs/monitoring/metrics.md explains each metric, and none that there is not") {
    const auto text = checkout_text("docs/monitoring/metrics.md");
    std::set<std::string> explained;
    // A row of a table begins with the name.
    const std::regex row{R"re(\n\| `((?:errand|process)_[a-z_]+)`)re"};
    for (std::sregex_iterator at{text.begin(), text.end(), row}, end; at != end; ++at) {
        INFO((*at)[1].str());
        CHECK(explained.insert((*at)[1].str()).second);
    }
    CHECK(explained == listed_metrics());
}
