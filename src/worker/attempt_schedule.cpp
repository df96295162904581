#include "worker/attempt_schedule.hpp"

#include <errand/error.hpp>

#include "core/schedule_rules.hpp"
#include "runtime/task_gates.hpp"

#include <boost/json/serialize.hpp>

namespace errand {

void attempt_schedule::next_at(time_point when) {
    if (when > latest_tick) {
        throw usage_error{
            "next_at of schedule " + of_.key +
            ": the time is after the year 2969; a schedule that is to tick no more is ended with stop()"};
    }
    wish_.next_at = when;
}

// Later runs would die of arguments that do not fit, one after the other.
void attempt_schedule::use_args(boost::json::array args) {
    try {
        handler_.code->check_args(args);
    } catch (const bad_data& e) {
        throw bad_data{"set_args of schedule " + of_.key + ": " + e.what()};
    }
    wish_.args = boost::json::serialize(args);
    if (may_have_gates(of_.schedule, shards_))
        wish_.gates = gates_of_task(handler_, std::nullopt, *wish_.args);
}

}  // namespace errand
