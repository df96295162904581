// The ids that submissions are given.
#include "core/task_id.hpp"
#include "sample.hpp"

#include <benchmark/benchmark.h>

namespace {

using namespace benchmark_micro;
using namespace errand;

void new_id(benchmark::State& state) {
    constexpr std::int64_t now_ms = 1'755'000'000'000;
    require(new_task_id(now_ms) != new_task_id(now_ms), "two tasks were given one id");
    for (auto _ : state) benchmark::DoNotOptimize(new_task_id(now_ms));
}
BENCHMARK(new_id);

void derive_id(benchmark::State& state) {
    const std::string biz_id = "order-1234567890";
    const auto id = derive_task_id("nop", biz_id);
    require(id == derive_task_id("nop", biz_id) && id != derive_task_id("other", biz_id),
            "an id does not follow from the handler and the biz_id");
    for (auto _ : state) benchmark::DoNotOptimize(derive_task_id("nop", biz_id));
}
BENCHMARK(derive_id);

}  // namespace
