// What a shelf costs, and what it carries: `shelf MEASURE [name=value ...]`; see benchmarks/README.md.
#include "shelf.hpp"

namespace {

constexpr bench::measure measures[] = {
    {"in", shelved::in}, {"out", shelved::out}, {"alone", shelved::alone}, {"due", shelved::due}};

}  // namespace

int main(int count, char** words) { return bench::run_named(measures, "shelf", count, words); }
