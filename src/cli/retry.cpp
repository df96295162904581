#include "cli/commands.hpp"
#include "cli/repair.hpp"

namespace errand::cli {
namespace {

awaitable<bool> retry_one(inspector in, std::string id) { co_return co_await in.run_now(std::move(id)); }
awaitable<repair_progress> retry_all(inspector in, task_filter which, repair_options how) {
    co_return co_await in.repair_all(std::move(which), repair::run_now, std::move(how));
}

}  // namespace

runner prepare_retry(CLI::App& line) {
    return prepare_repair(line, {.verb = "retry",
                                 .past = "made ready",
                                 .fits = {state::retry, state::delayed},
                                 .usual = state::retry,
                                 .one = retry_one,
                                 .all = retry_all});
}

}  // namespace errand::cli
