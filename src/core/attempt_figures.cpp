#include "core/attempt_figures.hpp"

namespace errand {
namespace {

// Kept by stores: the numbers stay.
constexpr int counts_runs = 0, counts_failures = 1, counts_dead = 2, counts_lost = 3;
constexpr int waits_from = 1000, runs_from = 2000, totals_from = 3000;
constexpr int end_of_histogram = 1000;

void put_histogram(std::vector<handler_count>& to, const std::string& handler, int from,
                   const histogram& of) {
    for (std::size_t at = 0; at < histogram::buckets; ++at) {
        if (of.in(at) != 0) to.push_back({handler, from + static_cast<int>(at), of.in(at)});
    }
}

time_figures times_of(const histogram& of) {
    return {.count = of.count(),
            .p50 = of.percentile(500),
            .p90 = of.percentile(900),
            .p95 = of.percentile(950),
            .p99 = of.percentile(990),
            .most = of.percentile(1000)};
}

}  // namespace

void attempt_figures::merge(const attempt_figures& other) noexcept {
    runs += other.runs;
    failures += other.failures;
    dead += other.dead;
    lost += other.lost;
    wait.merge(other.wait);
    run.merge(other.run);
    total.merge(other.total);
}

std::vector<handler_count> counts_of(const figures_by_handler& all) {
    std::vector<handler_count> counts;
    for (const auto& [handler, one] : all) {
        const auto put = [&](int what, std::int64_t times) {
            if (times != 0) counts.push_back({handler, what, times});
        };
        put(counts_runs, one.runs);
        put(counts_failures, one.failures);
        put(counts_dead, one.dead);
        put(counts_lost, one.lost);
        put_histogram(counts, handler, waits_from, one.wait);
        put_histogram(counts, handler, runs_from, one.run);
        put_histogram(counts, handler, totals_from, one.total);
    }
    return counts;
}

void add_count(figures_by_handler& to, const handler_count& one) {
    auto& figures = to[one.handler];
    if (one.what == counts_runs) {
        figures.runs += one.times;
    } else if (one.what == counts_failures) {
        figures.failures += one.times;
    } else if (one.what == counts_dead) {
        figures.dead += one.times;
    } else if (one.what == counts_lost) {
        figures.lost += one.times;
    } else if (one.what >= waits_from && one.what < waits_from + end_of_histogram) {
        figures.wait.add(static_cast<std::size_t>(one.what - waits_from), one.times);
    } else if (one.what >= runs_from && one.what < runs_from + end_of_histogram) {
        figures.run.add(static_cast<std::size_t>(one.what - runs_from), one.times);
    } else if (one.what >= totals_from && one.what < totals_from + end_of_histogram) {
        figures.total.add(static_cast<std::size_t>(one.what - totals_from), one.times);
    }
}

handler_figures shown(std::string handler, const attempt_figures& of) {
    return {.handler = std::move(handler),
            .runs = of.runs,
            .failures = of.failures,
            .dead = of.dead,
            .lost = of.lost,
            .wait = times_of(of.wait),
            .run = times_of(of.run),
            .total = times_of(of.total)};
}

}  // namespace errand
