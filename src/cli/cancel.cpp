#include "cli/commands.hpp"
#include "cli/repair.hpp"

namespace errand::cli {
namespace {

awaitable<bool> cancel_one(inspector in, std::string id) { co_return co_await in.cancel(std::move(id)); }
awaitable<repair_progress> cancel_all(inspector in, task_filter which, repair_options how) {
    co_return co_await in.repair_all(std::move(which), repair::cancel, std::move(how));
}

}  // namespace

runner prepare_cancel(CLI::App& line) {
    return prepare_repair(line, {.verb = "cancel",
                                 .past = "cancelled",
                                 .fits = {state::ready, state::delayed, state::waiting, state::retry,
                                          state::working},
                                 .usual = {},
                                 .one = cancel_one,
                                 .all = cancel_all});
}

}  // namespace errand::cli
