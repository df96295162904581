#include "cli/commands.hpp"
#include "cli/queue_switch.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace errand::cli {

runner prepare_pause(CLI::App& line) {
    const auto queues = std::make_shared<std::vector<std::string>>();
    line.add_option("queues", *queues, "The queues")->required()->type_name("QUEUE");
    return [queues](session& on) { return pause_queues(on, *queues, true); };
}

}  // namespace errand::cli
