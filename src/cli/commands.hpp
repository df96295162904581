// One function a command, each in a file of its name.
#pragma once

#include "cli/command.hpp"

namespace errand::cli {

runner prepare_queues(CLI::App& line);
runner prepare_list(CLI::App& line);
runner prepare_show(CLI::App& line);
runner prepare_graph(CLI::App& line);
runner prepare_workers(CLI::App& line);
runner prepare_history(CLI::App& line);
runner prepare_top(CLI::App& line);
runner prepare_retry(CLI::App& line);
runner prepare_revive(CLI::App& line);
runner prepare_cancel(CLI::App& line);
runner prepare_delete(CLI::App& line);
runner prepare_reschedule(CLI::App& line);
runner prepare_change(CLI::App& line);
runner prepare_pause(CLI::App& line);
runner prepare_resume(CLI::App& line);
runner prepare_perform(CLI::App& line);
runner prepare_outbox(CLI::App& line);
runner prepare_doctor(CLI::App& line);
runner prepare_completion(CLI::App& line);
runner prepare_version(CLI::App& line);

}  // namespace errand::cli
