// Who submits which task when: made by a test, carried out by the submitters of tests/programs/builder.cpp.
#pragma once

#include <errand/time.hpp>

#include <cstddef>
#include <random>
#include <string>
#include <vector>

namespace fault_test {

struct planned {
    errand::duration when{0};  // from the beginning
    std::string key;
    std::string queue;
    int failures = 0;  // attempts that fail first; -1: broken, until it is mended
    errand::duration length{0};
    std::vector<std::string> parents;  // keys
};

// One list for each submitter, in the order of time.
using plan = std::vector<std::vector<planned>>;
using dice = std::mt19937;

inline constexpr std::size_t submitters = 3;

// Submissions come in bursts, so that much is going on when somebody is killed shortly after one has begun.
inline constexpr errand::duration burst{400};

// So many children with a parent each, within `length`: the parent first, the child first, or both at the same moment in
// different processes, as often each. Every fourth child has a child of its own, and now and then a parent has hundreds.
plan make_pairs(std::size_t pairs, errand::duration length, dice& random);
// A graph of so many tasks, each with up to three parents among those numbered before it, submitted in random order.
plan make_graph(std::size_t tasks, errand::duration length, dice& random);

// So many rings, each task after the next one of it and the last after the first, all of a ring submitted at the same
// moment by different processes.
plan make_rings(std::size_t rings, errand::duration length, dice& random);

// So many families: a broken one, two that depend on it, one that depends on both, and one that depends on that and on
// a sound task.
plan make_families(std::size_t families, errand::duration length, dice& random);

void write(const std::vector<planned>& list, const std::string& path);
std::vector<planned> read(const std::string& path);

}  // namespace fault_test
