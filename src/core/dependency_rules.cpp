#include "core/dependency_rules.hpp"

namespace errand {

char letter_of(on_failed rule) noexcept {
    switch (rule) {
    case on_failed::cancel: return 'c';
    case on_failed::wait: return 'w';
    case on_failed::run: return 'r';
    case on_failed::gather: return 'g';
    case on_failed::bundle: return 'b';
    }
    return 'c';
}

on_failed rule_of(char letter) noexcept {
    switch (letter) {
    case 'w': return on_failed::wait;
    case 'r': return on_failed::run;
    case 'g': return on_failed::gather;
    case 'b': return on_failed::bundle;
    default: return on_failed::cancel;
    }
}

parent_standing stand(on_failed rule, std::optional<state> where, bool accepted) noexcept {
    if (!where) return accepted ? parent_standing::gone : parent_standing::unmet;
    if (!is_end(*where)) return parent_standing::unmet;
    const bool well = rule == on_failed::run || *where == state::success;
    return well ? parent_standing::met : parent_standing::failed;
}

bool waits_for_others(on_failed rule, bool any_unmet, bool any_failed) noexcept {
    return any_unmet || (any_failed && rule == on_failed::wait);
}

first_step first_step_of(on_failed rule, bool any_unmet, bool any_failed) noexcept {
    if (!any_unmet && !any_failed && rule != on_failed::gather) return first_step::free_to_run;
    return any_failed || !any_unmet ? first_step::wait_and_check : first_step::wait;
}

heard_news hear(tidings what, on_failed rule, parent_edges before) noexcept {
    switch (what) {
    case tidings::success: return {};
    case tidings::revived:
        if (before.failed) before = {.needs = true};
        return {before, true};
    case tidings::dead:
    case tidings::cancelled:
    case tidings::expired: break;
    default: return {before};
    }
    if (!before.needs) return {before, before.failed};
    // That it has ended is all that some ask for.
    if (rule == on_failed::run) return {{.failed = before.failed}};
    return {{.failed = true}, true};
}

}  // namespace errand
