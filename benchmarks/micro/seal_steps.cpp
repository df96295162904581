// What encryption adds to the steps of a task's life: the task of all benchmarks, and one whose arguments are 10 kB.
#include "core/sealed_records.hpp"
#include "sample.hpp"

#include <benchmark/benchmark.h>

#include <memory>

namespace {

using namespace benchmark_micro;
using namespace errand;

const sealed_records& records() {
    static const sealed_records one{std::make_shared<const sealing>(encryption{
                                        .keys = {{"bench", std::string(xaes_key::key_size, 'x')}}}),
                                    "default"};
    return one;
}

const task_id& sample_id() {
    static const auto id = derive_task_id("nop", "1");
    return id;
}

std::string body_with(std::int64_t more) {
    auto body = sample_body();
    if (more > 0) body.args = "[\"" + std::string(static_cast<std::size_t>(more), 'x') + "\"]";
    return encode(body);
}

void seal_body(benchmark::State& state) {
    const auto bytes = body_with(state.range(0));
    require(records().open_body(sample_id(), records().seal_body(sample_id(), bytes)) == bytes,
            "a body is not opened to what was sealed");
    for (auto _ : state) benchmark::DoNotOptimize(records().seal_body(sample_id(), bytes));
}
BENCHMARK(seal_body)->Arg(0)->Arg(10'000);

void open_body(benchmark::State& state) {
    const auto bytes = records().seal_body(sample_id(), body_with(state.range(0)));
    require(!key_of_body(bytes).empty(), "a body is not sealed");
    for (auto _ : state) benchmark::DoNotOptimize(records().open_body(sample_id(), bytes));
}
BENCHMARK(open_body)->Arg(0)->Arg(10'000);

void seal_end(benchmark::State& state) {
    task_outcome outcome;
    outcome.retention = std::chrono::days{180};
    outcome.attempts = 1;
    outcome.worker = "host:12345:67890";
    outcome.result = "\"done\"";
    const auto body = body_with(0);
    const auto kept = records().seal_body(sample_id(), body);
    const auto bytes = encode_end(outcome, time_point{duration{1'755'000'000'000}}, body);
    require(split_end(records().seal_end(sample_id(), bytes, kept)).body == kept,
            "an end does not have its body as it was kept");
    for (auto _ : state) benchmark::DoNotOptimize(records().seal_end(sample_id(), bytes, kept));
}
BENCHMARK(seal_end);

}  // namespace
