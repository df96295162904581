// What follows from the end of an attempt.
#include "core/attempt_rules.hpp"
#include "sample.hpp"

#include <benchmark/benchmark.h>

#include <stdexcept>

namespace {

using namespace benchmark_micro;
using namespace errand;

constexpr time_point now{duration{1'755'000'000'000}};

void terms_of_task(benchmark::State& state) {
    const policy rules;
    const auto body = sample_body();
    require(terms_of(rules, body).max_retry == 25, "the terms are not those of the policy");
    for (auto _ : state) benchmark::DoNotOptimize(terms_of(rules, body));
}
BENCHMARK(terms_of_task);

void decide_success(benchmark::State& state) {
    const policy rules;
    const auto terms = terms_of(rules, sample_body());
    const auto decided = [&] { return decide(attempt_end::returned, nullptr, terms, {}, now); };
    require(decided().kind == verdict::succeed, "an attempt that returned is no success");
    for (auto _ : state) benchmark::DoNotOptimize(decided());
}
BENCHMARK(decide_success);

void decide_failure(benchmark::State& state) {
    const policy rules;
    const auto terms = terms_of(rules, sample_body());
    const auto failure = std::make_exception_ptr(std::runtime_error{"the service is away"});
    const auto decided = [&] { return decide(attempt_end::threw, failure, terms, {}, now); };
    require(decided().kind == verdict::fail && decided().notes.errors.size() == 1,
            "an attempt that threw is not retried");
    for (auto _ : state) benchmark::DoNotOptimize(decided());
}
BENCHMARK(decide_failure);

}  // namespace
