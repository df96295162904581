#pragma once

#include <string>

struct submit_options {
    std::string directory;
    std::string output;
    std::string
        after_walk;  // a shell command run between the walk and the submission: what if files change then?
};

// Has every file below the directory digested and writes the checksum file. Returns the program's exit
// status: 1 when a file is missing from both the checksums and the list of unreadable files.
int submit(const submit_options& what);
