// The tasks: a report is made of a corpus, in stages; its pieces are counted by tasks of their own.
#pragma once

#include <errand/errand.hpp>

#include "words.hpp"

// What workers are told on their command line.
struct pace {
    errand::duration slow{0};  // each piece takes at least so long
};

struct report_job {
    std::string corpus;  // a directory
    std::string folder;  // for what is between the stages; all workers must see it
    std::string report;  // a file
    std::uint64_t piece = 1'000'000;
};

struct report_summary {
    std::uint64_t pieces = 0;
    std::uint64_t words = 0;  // different ones
    std::uint64_t occurrences = 0;
};

// Counts the words of one piece into a table, and returns its path.
class count_piece {
public:
    explicit count_piece(const pace& p) : pace_{p} {}
    errand::awaitable<std::string> perform(piece what, std::string table);

private:
    const pace& pace_;
};

class make_report {
public:
    explicit make_report(errand::proxy<count_piece> counting) : counting_{counting} {}
    errand::awaitable<report_summary> perform(report_job job);

private:
    errand::proxy<count_piece> counting_;
};

// Whoever is killed leaves a task whose lease has to end; then it goes on soon.
ERRAND_HANDLER(count_piece, .name = "count_piece", .queue = "pieces",
               .backoff = errand::backoff::uniform(std::chrono::milliseconds{200}), .blocking = true)
ERRAND_HANDLER(make_report, .name = "make_report", .queue = "reports", .max_retry = 100,
               .backoff = errand::backoff::uniform(std::chrono::milliseconds{200}))
