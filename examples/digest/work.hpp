#pragma once

#include <chrono>
#include <string>

struct work_options {
    std::string ledger;                 // a line for each start of a task goes here
    std::chrono::milliseconds slow{0};  // every file takes at least that long
};

// A worker until SIGTERM or SIGINT. Returns the program's exit status.
int work(const work_options& how);
