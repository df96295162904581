// errand under load: `load MEASURE [name=value ...]`; see benchmarks/README.md.
#include "measure.hpp"

namespace {

constexpr bench::measure measures[] = {
    {"submit", load::submit}, {"bulk", load::bulk},       {"drain", load::drain},
    {"life", load::life},     {"latency", load::latency}, {"promote", load::promote},
    {"idle", load::idle},     {"depend", load::depend},   {"limited_life", load::limited_life},
    {"throng", load::throng}, {"fire", load::fire},       {"collect", load::collect},
    {"rate", load::rate},     {"stages", load::stages},   {"submit_socket", load::submit_socket},
};

}  // namespace

int main(int count, char** words) { return bench::run_named(measures, "load", count, words); }
