#include "core/state_table.hpp"

#include <algorithm>
#include <array>

namespace errand {
namespace {

constexpr std::array<std::string_view, transition_count> transition_names{"submit",
                                                                          "submit_delayed",
                                                                          "submit_waiting",
                                                                          "replace",
                                                                          "replace_delayed",
                                                                          "replace_waiting",
                                                                          "resolve",
                                                                          "resolve_delayed",
                                                                          "gather",
                                                                          "forsake",
                                                                          "promote",
                                                                          "claim",
                                                                          "adopt",
                                                                          "succeed",
                                                                          "fail",
                                                                          "snooze",
                                                                          "postpone",
                                                                          "bury",
                                                                          "give_back",
                                                                          "regroup",
                                                                          "recover",
                                                                          "collect",
                                                                          "settle",
                                                                          "settle_dead",
                                                                          "settle_cancelled",
                                                                          "collect_again",
                                                                          "release",
                                                                          "put_off",
                                                                          "recollect",
                                                                          "expire",
                                                                          "cancel",
                                                                          "revive",
                                                                          "take_up",
                                                                          "reschedule",
                                                                          "run_now",
                                                                          "change",
                                                                          "remove",
                                                                          "clean"};

using s = state;
using t = transition;
constexpr std::nullopt_t no_state = std::nullopt;

// An ended task whose biz_id is free again is started anew by the next submission, with all rows of `submit`;
// one that ended `success` only once `unique_for` is over.
constexpr state_row state_rows[] = {
    {no_state, t::submit, s::ready},
    {s::success, t::submit, s::ready},
    {s::dead, t::submit, s::ready},
    {s::cancelled, t::submit, s::ready},
    {s::expired, t::submit, s::ready},
    {no_state, t::submit_delayed, s::delayed},
    {s::success, t::submit_delayed, s::delayed},
    {s::dead, t::submit_delayed, s::delayed},
    {s::cancelled, t::submit_delayed, s::delayed},
    {s::expired, t::submit_delayed, s::delayed},
    {no_state, t::submit_waiting, s::waiting},
    {s::success, t::submit_waiting, s::waiting},
    {s::dead, t::submit_waiting, s::waiting},
    {s::cancelled, t::submit_waiting, s::waiting},
    {s::expired, t::submit_waiting, s::waiting},
    {s::waiting, t::replace, s::ready},
    {s::delayed, t::replace, s::ready},
    {s::ready, t::replace, s::ready},
    {s::waiting, t::replace_delayed, s::delayed},
    {s::delayed, t::replace_delayed, s::delayed},
    {s::ready, t::replace_delayed, s::delayed},
    {s::waiting, t::replace_waiting, s::waiting},
    {s::delayed, t::replace_waiting, s::waiting},
    {s::ready, t::replace_waiting, s::waiting},
    {s::waiting, t::resolve, s::ready},
    {s::waiting, t::resolve_delayed, s::delayed},
    {s::waiting, t::gather, s::success},
    {s::waiting, t::forsake, s::cancelled},
    {s::delayed, t::promote, s::ready},
    {s::retry, t::promote, s::ready},
    {s::ready, t::claim, s::working},
    {s::delayed, t::adopt, s::working},
    {s::working, t::succeed, s::success},
    {s::working, t::fail, s::retry},
    {s::working, t::snooze, s::delayed},
    {s::working, t::postpone, s::delayed},
    {s::working, t::bury, s::dead},
    {s::working, t::give_back, s::ready},
    {s::working, t::regroup, s::ready},
    {s::working, t::recover, s::working},
    {s::working, t::collect, s::waiting},
    {s::waiting, t::settle, s::success},
    {s::waiting, t::settle_dead, s::dead},
    {s::waiting, t::settle_cancelled, s::cancelled},
    {s::waiting, t::collect_again, s::retry},
    {s::waiting, t::release, s::ready},
    {s::waiting, t::put_off, s::delayed},
    {s::waiting, t::recollect, s::ready},
    {s::waiting, t::expire, s::expired},
    {s::delayed, t::expire, s::expired},
    {s::ready, t::expire, s::expired},
    {s::working, t::expire, s::expired},
    {s::waiting, t::cancel, s::cancelled},
    {s::delayed, t::cancel, s::cancelled},
    {s::ready, t::cancel, s::cancelled},
    {s::working, t::cancel, s::cancelled},
    {s::retry, t::cancel, s::cancelled},
    {s::dead, t::revive, s::ready},
    {s::cancelled, t::revive, s::ready},
    {s::expired, t::revive, s::ready},
    {s::cancelled, t::take_up, s::waiting},
    {s::waiting, t::reschedule, s::waiting},
    {s::delayed, t::reschedule, s::delayed},
    {s::ready, t::reschedule, s::delayed},
    {s::retry, t::reschedule, s::retry},
    {s::delayed, t::run_now, s::ready},
    {s::retry, t::run_now, s::ready},
    {s::waiting, t::change, s::waiting},
    {s::delayed, t::change, s::delayed},
    {s::ready, t::change, s::ready},
    {s::waiting, t::remove, no_state},
    {s::delayed, t::remove, no_state},
    {s::ready, t::remove, no_state},
    {s::retry, t::remove, no_state},
    {s::success, t::remove, no_state},
    {s::dead, t::remove, no_state},
    {s::cancelled, t::remove, no_state},
    {s::expired, t::remove, no_state},
    {s::success, t::clean, no_state},
    {s::dead, t::clean, no_state},
    {s::cancelled, t::clean, no_state},
    {s::expired, t::clean, no_state},
};

}  // namespace

std::string_view to_string(transition what) noexcept {
    const auto at = static_cast<std::size_t>(what);
    return at < transition_names.size() ? transition_names[at] : "unknown";
}

std::span<const state_row> state_table() noexcept { return state_rows; }

const state_row* find_row(std::optional<state> from, transition event) noexcept {
    const auto found = std::ranges::find_if(state_rows, [&](const state_row& row) {
        return row.from == from && row.event == event;
    });
    return found == std::ranges::end(state_rows) ? nullptr : &*found;
}

}  // namespace errand
