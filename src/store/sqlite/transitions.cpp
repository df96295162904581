#include "store/sqlite/transitions.hpp"

namespace errand::sqlite {

std::string_view sql_of_transition(transition what) noexcept {
    switch (what) {
    case transition::submit:
    case transition::submit_delayed:
    case transition::submit_waiting:
    case transition::replace:
    case transition::replace_delayed:
    case transition::replace_waiting: return "submit";
    case transition::resolve:
    case transition::resolve_delayed:
    case transition::gather:
    case transition::forsake:
    case transition::remove: return "lib_task";
    case transition::promote:
    case transition::expire: return "promote";
    case transition::claim:
    case transition::adopt: return "claim";
    case transition::succeed:
    case transition::bury:
    case transition::fail:
    case transition::snooze:
    case transition::postpone:
    case transition::give_back: return "finish";
    case transition::recover: return "recover";
    case transition::cancel: return "cancel";
    case transition::revive:
    case transition::take_up: return "revive";
    case transition::reschedule:
    case transition::run_now:
    case transition::change: return "edit";
    case transition::clean: return "clean";
    }
    return {};
}

}  // namespace errand::sqlite
