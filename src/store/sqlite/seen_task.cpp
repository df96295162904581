#include "store/sqlite/seen_task.hpp"

namespace errand::sqlite {
namespace {

// The kind of list in which a task of this end stands; -1 for one that has not ended.
list_kind kind_of_end(char end) {
    switch (end) {
    case 's': return kind_of(state::success);
    case 'd': return kind_of(state::dead);
    case 'c': return kind_of(state::cancelled);
    case 'x': return kind_of(state::expired);
    default: return -1;
    }
}

}  // namespace

std::string_view seen_task::kind_of(damage what) {
    switch (what) {
    case damage::no_body: return "no_body";
    case damage::unlisted: return "unlisted";
    case damage::wrong_list: return "wrong_list";
    case damage::two_states: return "two_states";
    case damage::no_lease: return "no_lease";
    case damage::never_deleted: return "never_deleted";
    case damage::no_outcome: return "no_outcome";
    case damage::forgotten: return "stuck";
    case damage::hidden: return "hidden";
    default: return "lost";
    }
}

std::string_view seen_task::judge() {
    const auto found = [this](damage is, std::string_view words) {
        what = is;
        return words;
    };
    if (!has_body) return found(damage::no_body, "it has no body");
    if (!list) return found(damage::unlisted, "it stands in a list that is not there");
    const bool works = list->kind == sqlite::kind_of(state::working), ended = is_ended(list->kind);
    const auto says = kind_of_end(end);
    if (ended && says < 0 && !claimed) return found(damage::no_outcome, "it has ended, and does not say how");
    const bool held_on = list->kind == remnants && says == sqlite::kind_of(state::success);
    if (says >= 0 && says != list->kind && !held_on)
        return found(damage::wrong_list, "it says that it has ended, and its list says otherwise");
    if (works && !claimed) return found(damage::lost, "it is working, and no claim holds it");
    if (works && !has_lease) return found(damage::no_lease, "it is working, and no lease will ever run out");
    if (!works && claimed) return found(damage::two_states, "it is in a list and working");
    if (!works && !placed)
        return ended ? found(damage::never_deleted, "it has ended, and nothing would delete it")
                     : found(damage::lost, "it has no place in its list");
    if (list->kind == sqlite::kind_of(state::waiting) && !waits)
        return found(damage::forgotten, "it waits, and nobody knows for what");
    if (astray) return found(damage::hidden, "it stands aside, and nobody who knows its handler finds it");
    return {};
}

}  // namespace errand::sqlite
