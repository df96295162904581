#include "worker/attempt_schedule.hpp"

#include <errand/error.hpp>

#include <boost/json/serialize.hpp>

namespace errand {

// Later runs would die of arguments that do not fit, one after the other.
void attempt_schedule::use_args(boost::json::array args) {
    try {
        handler_.code->check_args(args);
    } catch (const bad_data& e) {
        throw bad_data{"set_args of schedule " + of_.key + ": " + e.what()};
    }
    wish_.args = boost::json::serialize(args);
}

}  // namespace errand
