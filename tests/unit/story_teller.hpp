// What the tests of scripts/fault's verdict share: a journal as a trial writes it.
#pragma once

#include "trial/judgement.hpp"

#include <cstdint>
#include <string>
#include <sys/types.h>
#include <vector>

namespace trial_test {

using namespace trial;
using errand::state;
using fault_test::entry;

struct story_teller {
    std::vector<entry> lines{};
    endings ended{};
    chronicle happened{};
    std::int64_t now = 1000;

    story_teller& says(const std::string& what, const std::string& task, int number = 0,
                       std::uint64_t fence = 0, pid_t pid = 1) {
        lines.push_back({what, task, number, fence, pid, now += 10});
        return *this;
    }
    // An attempt that ends well.
    story_teller& runs(const std::string& task, std::uint64_t fence, pid_t pid = 1) {
        says("started", task, 1, fence, pid).says("ended", task, 0, fence, pid);
        ended[task] = ending{state::success, "trial::quick", fence};
        return says("success", task, 0, 0, pid);
    }
    judgement judged() const { return judge(lines, ended, happened); }
};

}  // namespace trial_test
