// errand's HTTP service under load: `http MEASURE [name=value ...]`; see benchmarks/README.md. One thread, and no part of errand.
#include "measures.hpp"

namespace {

constexpr bench::measure measures[] = {
    {"publish", http_load::publish},
    {"consume", http_load::consume},
    {"wait", http_load::wait},
    {"idle", http_load::idle},
};

}  // namespace

int main(int count, char** words) { return bench::run_named(measures, "http", count, words); }
