// What a transaction with a task costs beside one without: `commit MEASURE [name=value ...]`; see benchmarks/README.md.
#include "measures.hpp"

#include <cstdio>
#include <cstring>

namespace {

struct measure {
    const char* name;
    bench::result (*run)(const bench::arguments&);
};

constexpr measure measures[] = {{"alone", commit::alone},
                                {"one_more", commit::one_more},
                                {"bare", commit::bare},
                                {"with_task", commit::with_task},
                                {"latency", commit::latency}};

}  // namespace

int main(int count, char** words) try {
    for (const auto& one : measures) {
        if (count < 2 || std::strcmp(one.name, words[1]) != 0) continue;
        one.run(bench::arguments{count, words}).print();
        return 0;
    }
    std::fprintf(stderr, "commit: no such measure; see benchmarks/README.md\n");
    return 2;
} catch (const std::exception& e) {
    std::fprintf(stderr, "commit: %s\n", e.what());
    return 1;
}
