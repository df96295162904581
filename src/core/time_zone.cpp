#include "core/time_zone.hpp"

#include <algorithm>

namespace errand {
namespace {

using std::chrono::local_seconds;
using std::chrono::sys_seconds;

// More than the two farthest offsets are apart: what clocks show elsewhere in time decides nothing.
constexpr std::chrono::hours offsets_apart{54};
constexpr std::chrono::seconds one_second{1};

sys_seconds bounded(sys_seconds instant) {
    return std::clamp(instant, beginning_of_time + 2 * offsets_apart, end_of_time - 2 * offsets_apart);
}

local_seconds bounded(local_seconds local) {
    return local_seconds{bounded(sys_seconds{local.time_since_epoch()}).time_since_epoch()};
}

local_seconds shifted(sys_seconds instant, std::chrono::seconds offset) {
    return local_seconds{instant.time_since_epoch() + offset};
}

}  // namespace

std::shared_ptr<const time_zone> time_zone::utc() {
    static const auto one = std::make_shared<const time_zone>();
    return one;
}

zone_span time_zone::offset_at(sys_seconds instant) const {
    const auto next = std::ranges::upper_bound(transitions_, instant);
    if (next != transitions_.end()) {
        if (next == transitions_.begin()) return span_of(types_.front(), beginning_of_time, *next);
        const auto at = static_cast<std::size_t>(next - transitions_.begin()) - 1;
        return span_of(types_[type_from_[at]], transitions_[at], *next);
    }
    const auto last = transitions_.empty() ? beginning_of_time : transitions_.back();
    if (rule_) {
        auto span = rule_->at(instant);
        span.begin = std::max(span.begin, last);
        return span;
    }
    return span_of(types_[type_from_.empty() ? 0 : type_from_.back()], last, end_of_time);
}

local_seconds latest_shown(const time_zone& zone, sys_seconds now) {
    now = bounded(now);
    auto span = zone.offset_at(now);
    auto latest = shifted(now, span.offset);
    while (span.begin > now - offsets_apart) {
        const auto before = span.begin - one_second;
        span = zone.offset_at(before);
        latest = std::max(latest, shifted(before, span.offset));
    }
    return latest;
}

sys_seconds first_instant(const time_zone& zone, local_seconds local) {
    local = bounded(local);
    auto span = zone.offset_at(sys_seconds{local.time_since_epoch()} - offsets_apart / 2);
    while (shifted(span.end, span.offset) <= local) span = zone.offset_at(span.end);
    return std::max(span.begin, sys_seconds{local.time_since_epoch() - span.offset});
}

}  // namespace errand
