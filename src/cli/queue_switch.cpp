#include "cli/queue_switch.hpp"

#include "cli/output.hpp"
#include "cli/session.hpp"
#include "cli/text.hpp"

#include <boost/json/array.hpp>

namespace errand::cli {

exit_code pause_queues(session& on, const std::vector<std::string>& queues, bool paused) {
    boost::json::array all;
    for (const auto& queue : queues) {
        const auto inspect = on.inspect();
        const bool changed = on.run(paused ? inspect.pause(queue) : inspect.resume(queue));
        all.push_back(boost::json::object{{"queue", queue}, {"paused", paused}, {"changed", changed}});
        if (on.json()) continue;
        const std::string now = paused ? "paused" : "not paused";
        print(plain("queue " + queue + (changed ? " is " + now : " was " + now + " already")) + '\n');
    }
    if (on.json()) print_document(boost::json::object{{"queues", std::move(all)}});
    return exit_code::done;
}

}  // namespace errand::cli
