// What is said on the command line of a program of scripts/fault.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdio>

namespace trial {

// False when all has been said, and the program is to end with `status`: a word was not understood, which is told in a
// sentence, or help was asked for.
inline bool read_words(CLI::App& app, int count, char** words, int& status) {
    try {
        app.parse(count, words);
        return true;
    } catch (const CLI::ParseError& e) {
        status = e.get_exit_code() == 0 ? 0 : 2;
        if (status == 0) {
            app.exit(e);
        } else {
            std::fprintf(stderr, "fault: %s; scripts/fault --help names the options\n", e.what());
        }
        return false;
    }
}

}  // namespace trial
