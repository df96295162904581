// What a transaction with a task costs beside one without: `commit MEASURE [name=value ...]`; see benchmarks/README.md.
#include "measures.hpp"

namespace {

constexpr bench::measure measures[] = {{"alone", commit::alone},
                                       {"one_more", commit::one_more},
                                       {"bare", commit::bare},
                                       {"with_task", commit::with_task},
                                       {"latency", commit::latency}};

}  // namespace

int main(int count, char** words) { return bench::run_named(measures, "commit", count, words); }
