// The records that a store keeps of a task.
#include "sample.hpp"

#include <benchmark/benchmark.h>

namespace {

using namespace benchmark_micro;
using namespace errand;

// As a worker reports a task that succeeded and returns nothing.
task_outcome sample_outcome() {
    task_outcome outcome;
    outcome.retention = std::chrono::days{180};
    outcome.started_at = time_point{duration{1'755'000'000'000}};
    outcome.attempts = 1;
    outcome.worker = "host:12345:67890";
    return outcome;
}

void encode_body(benchmark::State& state) {
    const auto body = sample_body();
    require(errand::decode_body(encode(body)).args == body.args, "a body is not decoded to what was encoded");
    for (auto _ : state) benchmark::DoNotOptimize(encode(body));
}
BENCHMARK(encode_body);

void decode_body(benchmark::State& state) {
    const auto bytes = encode(sample_body());
    require(errand::decode_body(bytes).handler == "nop", "a body does not name its handler");
    for (auto _ : state) benchmark::DoNotOptimize(errand::decode_body(bytes));
}
BENCHMARK(decode_body);

void encode_outcome(benchmark::State& state) {
    const auto outcome = sample_outcome();
    require(errand::decode_outcome(encode(outcome)).worker == outcome.worker,
            "an outcome is not decoded to what was encoded");
    for (auto _ : state) benchmark::DoNotOptimize(encode(outcome));
}
BENCHMARK(encode_outcome);

void decode_outcome(benchmark::State& state) {
    const auto bytes = encode(sample_outcome());
    require(errand::decode_outcome(bytes).started_at.has_value(), "an outcome does not say when it started");
    for (auto _ : state) benchmark::DoNotOptimize(errand::decode_outcome(bytes));
}
BENCHMARK(decode_outcome);

}  // namespace
