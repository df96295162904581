// errand's HTTP service under load: `http MEASURE [name=value ...]`; see benchmarks/README.md. One thread, and no part of errand.
#include "measures.hpp"

#include <cstdio>
#include <cstring>
#include <exception>

namespace {

struct measure {
    const char* name;
    bench::result (*run)(const bench::arguments&);
};

constexpr measure measures[] = {
    {"publish", http_load::publish},
    {"consume", http_load::consume},
    {"wait", http_load::wait},
    {"idle", http_load::idle},
};

}  // namespace

int main(int count, char** words) try {
    for (const auto& one : measures) {
        if (count < 2 || std::strcmp(one.name, words[1]) != 0) continue;
        one.run(bench::arguments{count, words}).print();
        return 0;
    }
    std::fprintf(stderr, "http: no such measure; see benchmarks/README.md\n");
    return 2;
} catch (const std::exception& e) {
    std::fprintf(stderr, "http: %s\n", e.what());
    return 1;
}
