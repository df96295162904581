#include "store/redis/transitions.hpp"

namespace errand::redis {

std::string_view script_of_transition(transition what) noexcept {
    switch (what) {
    case transition::submit:
    case transition::submit_delayed: return "submit_write";
    case transition::submit_waiting: return "submit_write";
    case transition::replace:
    case transition::replace_delayed:
    case transition::replace_waiting: return "submit_read";
    case transition::resolve:
    case transition::resolve_delayed:
    case transition::gather:
    case transition::forsake:
    case transition::take_up: return "lib_settle";
    case transition::promote:
    case transition::expire: return "promote";
    case transition::claim: return "claim";
    case transition::adopt: return "adopt";
    case transition::succeed:
    case transition::bury: return "finish";
    case transition::fail:
    case transition::snooze:
    case transition::postpone:
    case transition::give_back: return "finish_wait";
    case transition::recover: return "recover";
    case transition::cancel: return "cancel";
    case transition::revive: return "revive";
    case transition::reschedule:
    case transition::run_now:
    case transition::change: return "edit";
    case transition::remove: return "remove";
    case transition::clean: return "clean";
    }
    return {};
}

}  // namespace errand::redis
