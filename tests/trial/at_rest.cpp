#include "trial/at_rest.hpp"

#include "trial/shared_limit.hpp"
#include "trial/site.hpp"

#include <algorithm>
#include <climits>

namespace trial {

using namespace std::chrono_literals;
using errand::test::holds_within;

namespace {

// A lease, until somebody has looked, and until a clock that was set back last has caught up.
constexpr std::chrono::milliseconds rest_within = 15s;

bool is_at_rest(const errand::limit_info& one) { return one.running == 0 && one.waiting == 0; }

}  // namespace

void reset_limits(site& at) {
    if (!at.how.limits) return;
    clear_shared_limit(at.app(), errand::test::task_journal{at.book().path()}, INT_MAX);
}

void let_limits_come_to_rest(site& at) {
    if (!at.how.limits) return;
    const auto all_rest = [&] {
        return std::ranges::all_of(at.app().block_on(at.app().limits()), is_at_rest);
    };
    holds_within(std::min<std::chrono::milliseconds>(rest_within, at.how.patience), all_rest);
    for (const auto& one : at.app().block_on(at.app().limits())) {
        if (!is_at_rest(one))
            at.happened.limits_held.push_back(
                {.name = one.name, .running = one.running, .waiting = one.waiting});
    }
}

}  // namespace trial
