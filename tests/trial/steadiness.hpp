// While one of several servers is away, tasks of the others are accepted and started as ever.
#pragma once

#include "trial/judgement.hpp"

namespace trial {

// The journal's lines `due ID SHARD WHEN`: at this time a task of this shard was to be submitted, whatever became of it. Of
// those that concern a server that was there nine in ten have to start within 3 s, unless as many are late when all
// servers are there. Outages during which something else struck are left out.
void check_steadiness(const std::vector<fault_test::entry>& lines, const chronicle& happened,
                      judgement& found);

}  // namespace trial
