// errand under load: `load MEASURE [name=value ...]`; see benchmarks/README.md.
#include "measure.hpp"

#include <cstdio>
#include <cstring>

namespace {

struct measure {
    const char* name;
    load::result (*run)(const load::arguments&);
};

constexpr measure measures[] = {
    {"submit", load::submit}, {"bulk", load::bulk},       {"drain", load::drain},
    {"life", load::life},     {"latency", load::latency}, {"promote", load::promote},
    {"idle", load::idle},     {"depend", load::depend},   {"limited_life", load::limited_life},
    {"throng", load::throng}, {"fire", load::fire},
};

}  // namespace

int main(int count, char** words) try {
    for (const auto& one : measures) {
        if (count < 2 || std::strcmp(one.name, words[1]) != 0) continue;
        one.run(load::arguments{count, words}).print();
        return 0;
    }
    std::fprintf(stderr, "load: no such measure; see benchmarks/README.md\n");
    return 2;
} catch (const std::exception& e) {
    std::fprintf(stderr, "load: %s\n", e.what());
    return 1;
}
