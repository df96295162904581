#include "cli/commands.hpp"
#include "cli/repair.hpp"

namespace errand::cli {
namespace {

awaitable<bool> revive_one(inspector in, std::string id) { co_return co_await in.revive(std::move(id)); }
awaitable<repair_progress> revive_all(inspector in, task_filter which, repair_options how) {
    co_return co_await in.repair_all(std::move(which), repair::revive, std::move(how));
}

}  // namespace

runner prepare_revive(CLI::App& line) {
    return prepare_repair(line, {.verb = "revive",
                                 .past = "revived",
                                 .fits = {state::dead, state::cancelled, state::expired},
                                 .usual = state::dead,
                                 .one = revive_one,
                                 .all = revive_all});
}

}  // namespace errand::cli
