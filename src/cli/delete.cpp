#include "cli/commands.hpp"
#include "cli/repair.hpp"

namespace errand::cli {
namespace {

awaitable<bool> delete_one(inspector in, std::string id) { co_return co_await in.remove(std::move(id)); }
awaitable<repair_progress> delete_all(inspector in, task_filter which, repair_options how) {
    co_return co_await in.repair_all(std::move(which), repair::remove, std::move(how));
}

}  // namespace

runner prepare_delete(CLI::App& line) {
    return prepare_repair(line, {.verb = "delete",
                                 .past = "deleted",
                                 .fits = {state::waiting, state::delayed, state::ready, state::retry,
                                          state::success, state::dead, state::cancelled, state::expired},
                                 .usual = {},
                                 .one = delete_one,
                                 .all = delete_all});
}

}  // namespace errand::cli
