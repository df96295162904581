// Whether what the journal says can have happened when every task runs after those it depends on.
//
// The journal is outside of the store: its lines stand in the order in which they were written, by whichever process.
#pragma once

#include "fault/journal.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace fault_test {

// What was accepted, by ids.
struct accepted_tasks {
    std::vector<std::string> tasks;
    std::vector<std::pair<std::string, std::string>> edges;  // child, parent
    std::map<std::string, std::uint64_t> results;            // the fence of the attempt whose result stands
};

struct judgement {
    std::size_t edges = 0;  // looked at
    std::size_t executions = 0;
    std::size_t unfinished = 0;        // tasks without a result
    std::size_t unfounded = 0;         // results of which the journal knows no ended attempt
    std::size_t too_early = 0;         // starts before a parent's standing result was there
    std::size_t again = 0;             // attempts after the one whose result stands, and after it was there
    std::size_t doubled = 0;           // tasks of which more than one attempt was told that its end counts
    std::vector<std::string> words{};  // the first of them

    std::size_t wrong() const noexcept { return unfinished + unfounded + too_early + again + doubled; }
};

judgement judge(const accepted_tasks& what, const std::vector<entry>& lines);

}  // namespace fault_test
