// Histograms of times, and the figures that are made of them.
#include "core/attempt_figures.hpp"
#include "core/histogram.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <random>
#include <vector>

using namespace std::chrono_literals;
using errand::attempt_figures;
using errand::histogram;
using std::chrono::microseconds;

TEST_CASE("each time falls into the one bucket whose ends are around it, known to a quarter") {
    std::size_t last = 0;
    std::mt19937_64 random{42};
    std::vector<std::int64_t> lengths;
    for (std::int64_t value = 0; value < 5000; ++value) lengths.push_back(value);
    for (int bit = 12; bit < 43; ++bit) {
        const auto power = std::int64_t{1} << bit;
        for (const auto value : {power - 1, power, power + power / 4 - 1, power + power / 4})
            lengths.push_back(value);
        lengths.push_back(power + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(power)));
    }
    std::ranges::sort(lengths);
    for (const auto value : lengths) {
        const auto bucket = histogram::bucket_of(microseconds{value});
        CAPTURE(value, bucket);
        CHECK(bucket >= last);
        last = bucket;
        CHECK(histogram::end_of(bucket).count() >= value);
        if (bucket > 0) CHECK(histogram::end_of(bucket - 1).count() < value);
        CHECK(histogram::end_of(bucket).count() <= value + value / 4);
    }
    CHECK(histogram::bucket_of(-1ms) == 0);
    CHECK(histogram::bucket_of(std::chrono::days{100'000}) == histogram::buckets - 1);
}

TEST_CASE("a percentile is the time that so many did not exceed") {
    histogram of;
    CHECK(of.percentile(500) == 0us);
    std::vector<std::int64_t> all;
    std::mt19937 random{7};
    for (int n = 0; n < 2000; ++n) {
        all.push_back(std::uniform_int_distribution{0, 1'000'000}(random));
        of.add(microseconds{all.back()});
    }
    std::ranges::sort(all);
    CHECK(of.count() == 2000);
    for (const int thousandths : {1, 500, 900, 990, 1000}) {
        const auto exact = all[static_cast<std::size_t>(thousandths) * 2 - 1];
        const auto got = of.percentile(thousandths).count();
        CAPTURE(thousandths, exact, got);
        CHECK(got >= exact);
        CHECK(got <= exact + exact / 4 + 1);
    }
    histogram one;
    one.add(10ms);
    CHECK(one.percentile(1) == one.percentile(1000));
}

TEST_CASE("two histograms merged are as one of all") {
    histogram left, right, both;
    for (int n = 0; n < 500; ++n) {
        const microseconds length{n * n};
        (n % 3 == 0 ? left : right).add(length);
        both.add(length);
    }
    left.merge(right);
    CHECK(left.count() == both.count());
    for (std::size_t at = 0; at < histogram::buckets; ++at) CHECK(left.in(at) == both.in(at));
}

TEST_CASE("figures that are told in numbers and added up again are the same") {
    errand::figures_by_handler all;
    auto& mail = all["mail"];
    mail.runs = 3;
    mail.failures = 1;
    mail.dead = 1;
    mail.lost = 4;
    mail.run.add(5ms);
    mail.run.add(2s);
    mail.wait.add(40ms);
    for (int n = 1; n <= 100; ++n) mail.total.add(n * 1s);
    all["other"].runs = 1;
    all["silent"];
    errand::figures_by_handler read;
    for (const auto& one : errand::counts_of(all)) {
        errand::add_count(read, one);
        errand::add_count(read, one);
    }
    // Of a later version.
    errand::add_count(read, {"mail", 77, 5});
    errand::add_count(read, {"mail", 5000, 5});
    CHECK(read.size() == 2);
    const auto& twice = read["mail"];
    CHECK(twice.runs == 6);
    CHECK(twice.failures == 2);
    CHECK(twice.dead == 2);
    CHECK(twice.lost == 8);
    CHECK(twice.run.count() == 4);
    CHECK(twice.wait.count() == 2);
    CHECK(twice.run.percentile(1000) == mail.run.percentile(1000));
    const auto seen = errand::shown("mail", twice);
    CHECK(seen.run.p50 == mail.run.percentile(500));
    CHECK(seen.run.p50 >= 5ms);
    CHECK(seen.lost == 8);
    CHECK(seen.run.most >= 2s);
    CHECK(seen.wait.count == 2);
    CHECK(twice.total.count() == 200);
    CHECK(seen.total.p90 >= 90s);
    CHECK(seen.total.p95 == mail.total.percentile(950));
    CHECK(seen.total.p95 >= 95s);
    CHECK(seen.total.p95 < 95s * 5 / 4);
}
