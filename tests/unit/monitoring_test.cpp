// The dashboard and the alerts speak of metrics that there are.
#include "support/metric_lists.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace {

std::string page_text(const std::string& name) {
    std::ifstream file{ERRAND_TESTS_DIR "/../docs/monitoring/" + name};
    std::stringstream all;
    all << file.rdbuf();
    return all.str();
}

std::set<std::string> samples_there_are() {
    std::set<std::string> all;
    const auto add = [&](const errand::metric_family& one) {
        const std::string name{one.name};
        all.insert(name);
        if (one.kind != errand::metric_kind::histogram) return;
        for (const auto* end : {"_bucket", "_sum", "_count"}) all.insert(name + end);
    };
    std::ranges::for_each(errand::test::process_metrics, add);
    std::ranges::for_each(errand::test::store_metrics, add);
    return all;
}

std::set<std::string> metrics_in(const std::string& text) {
    std::set<std::string> all;
    const std::regex name{R"(\b(?:errand|process)_[a-z_]+)"};
    for (std::sregex_iterator at{text.begin(), text.end(), name}, end; at != end; ++at) all.insert(at->str());
    return all;
}

}  // namespace

TEST_CASE("the alerts and the dashboard ask for metrics that there are", "[metrics]") {
    const auto known = samples_there_are();
    for (const std::string file : {"alerts.yml", "grafana.json"}) {
        const auto asked = metrics_in(page_text(file));
        CHECK(asked.size() > 10);
        for (const auto& one : asked) {
            INFO(file << ": " << one);
            CHECK(known.contains(one));
        }
    }
}

TEST_CASE("the dashboard shows each metric", "[metrics]") {
    const auto text = page_text("grafana.json");
    const auto dashboard = boost::json::parse(text);
    CHECK(dashboard.at("panels").as_array().size() > 20);
    for (const auto& all : {std::span<const errand::metric_family>{errand::test::process_metrics},
                            std::span<const errand::metric_family>{errand::test::store_metrics}}) {
        for (const auto& one : all) {
            INFO(one.name);
            CHECK(text.find(one.name) != text.npos);
        }
    }
}

TEST_CASE("each alert has a section of the runbook, which it names, and two tests", "[metrics]") {
    const auto rules = page_text("alerts.yml");
    const auto sections = page_text("runbook.md");
    const auto tests = page_text("alerts_test.yml");
    std::size_t count = 0;
    const std::regex alert{R"(- alert: (\w+))"};
    for (std::sregex_iterator at{rules.begin(), rules.end(), alert}, end; at != end; ++at, ++count) {
        const auto name = (*at)[1].str();
        INFO(name);
        auto anchor = name;
        std::ranges::transform(anchor, anchor.begin(), [](unsigned char c) { return std::tolower(c); });
        CHECK(rules.find("runbook: runbook.md#" + anchor + "\n") != rules.npos);
        CHECK(sections.find("\n## " + name + "\n") != sections.npos);
        CHECK(tests.find("- name: " + name + " fires\n") != tests.npos);
        CHECK(tests.find("- name: " + name + " stays silent\n") != tests.npos);
    }
    CHECK(count == 16);
}
