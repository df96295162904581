// Everything that a trial does to a site, drawn from a deck: each kind comes as often as the others.
#pragma once

#include "trial/site.hpp"

#include <string>
#include <vector>

namespace trial {

struct fault {
    std::string name;
    void (*strike)(site& at);
};

std::vector<fault> faults_for(site& at);
std::vector<fault> redis_faults(bool lone, bool replicated, bool sharded);
// `can_grow`: servers come and go, too.
std::vector<fault> guarded_faults(bool can_grow);
std::vector<fault> sqlite_faults();
// Of all stores and modes.
std::vector<std::string> fault_names();

class deck {
public:
    deck(std::vector<fault> all, dice& random) : all_{std::move(all)}, random_{&random} {}
    const fault& draw();

private:
    std::vector<fault> all_;
    std::vector<std::size_t> left_;
    dice* random_;
};

}  // namespace trial
