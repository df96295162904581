// The program `errand`.
#include "cli/program.hpp"

int main(int count, char** words) { return errand::cli::run_program(count, words); }
