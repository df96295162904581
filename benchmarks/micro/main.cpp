// Single steps of a task's life, without Redis.
//   micro [--benchmark_filter=REGEX] [--benchmark_min_time=SECONDS] [--benchmark_format=json]
#include "sample.hpp"

#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>

void benchmark_micro::require(bool works, const char* what) {
    if (works) return;
    std::fprintf(stderr, "micro: %s\n", what);
    std::exit(1);
}

BENCHMARK_MAIN();
