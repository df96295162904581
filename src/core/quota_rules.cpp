#include "core/quota_rules.hpp"

#include <errand/error.hpp>

#include "core/rate_gate.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace errand {
namespace {

constexpr double millionths = 1e6;

void refuse_below(const char* member, std::int64_t value, std::int64_t least) {
    if (value >= least) return;
    throw usage_error{"quota ." + std::string{member} + " = " + std::to_string(value) + ": must be " +
                      std::to_string(least) + " or more"};
}

double microseconds_of(const rate_limit& rate) { return static_cast<double>(rate.per.count()) * 1000; }

// Millionths of a task that the bucket holds now.
std::int64_t held_in(const quota_state& state, const rate_limit& rate, std::int64_t now) {
    const auto full = static_cast<double>(bucket_of(rate)) * millionths;
    if (state.filled == 0) return static_cast<std::int64_t>(full);
    // A clock that was set back gives nothing, and takes nothing.
    const auto since = static_cast<double>(std::max<std::int64_t>(now - state.filled, 0));
    const auto more = since * rate.count / microseconds_of(rate) * millionths;
    // A task whose time has come is not to be kept by how a fraction is rounded.
    const auto held = std::floor(static_cast<double>(state.tokens) + more + 0.001);
    return static_cast<std::int64_t>(std::min(full, held));
}

std::int64_t time_until(std::int64_t held, const rate_limit& rate, std::int64_t tasks) {
    const auto lacking = static_cast<double>(tasks) * millionths - static_cast<double>(held);
    return static_cast<std::int64_t>(std::ceil(lacking / millionths * microseconds_of(rate) / rate.count));
}

}  // namespace

void check_quota(const quota& rules) {
    if (rules.max_queued) refuse_below("max_queued", *rules.max_queued, 0);
    if (rules.max_schedules) refuse_below("max_schedules", *rules.max_schedules, 0);
    if (rules.max_payload) refuse_below("max_payload", *rules.max_payload, 1);
    if (rules.submit_rate) check_rate("quota .submit_rate", *rules.submit_rate, rules.submit_rate->burst);
    if (rules.max_running) refuse_below("max_running", *rules.max_running, 0);
}

void check_below_queued(const quota& rules, const quota& seen, std::int64_t queued) {
    if (!rules.max_queued || queued <= *rules.max_queued) return;
    if (seen.max_queued && *seen.max_queued <= *rules.max_queued) return;
    throw usage_error{"quota .max_queued = " + std::to_string(*rules.max_queued) + ": " +
                      std::to_string(queued) + (queued == 1 ? " task is" : " tasks are") +
                      " queued now; allow as many, let workers do some first, or say .below_queued "
                      "(--below-queued): then nothing is accepted until they have"};
}

bool is_nothing(const quota& rules) noexcept { return rules == quota{}; }

std::int64_t bucket_of(const rate_limit& rate) noexcept { return rate.burst > 0 ? rate.burst : rate.count; }

quota_answer take_quota(quota_state& state, const quota_ask& ask, std::int64_t now) {
    using enum quota_answer::kept_by;
    quota_answer got;
    auto may = ask.count;
    if (ask.max_queued) {
        if (ask.counted) {
            state.queued = *ask.counted;
            state.counted = now;
        }
        const auto age = now - state.counted;
        if (age < 0 || age >= quota_count_lasts) {
            got.why = count;
            return got;
        }
        const auto room = std::max<std::int64_t>(*ask.max_queued - state.queued, 0);
        if (room < may) {
            may = room;
            got.why = queued;
            got.opens_in = quota_count_lasts - age;
        }
    }
    std::int64_t held = 0;
    if (ask.rate) {
        held = held_in(state, *ask.rate, now);
        const auto whole_tasks = held / static_cast<std::int64_t>(millionths);
        if (whole_tasks < may) {
            may = whole_tasks;
            got.why = rate;
        }
    }
    got.admitted = ask.whole && may < ask.count ? 0 : may;
    state.queued += got.admitted;
    held -= got.admitted * static_cast<std::int64_t>(millionths);
    // What gives nothing changes nothing: rounded again and again, the bucket would lose by being asked.
    // But from a clock that was set back time counts anew: else an empty bucket would wait until it has caught up.
    if (ask.rate && (got.admitted > 0 || now < state.filled)) {
        state.tokens = held;
        state.filled = now;
    }
    if (got.why == rate) got.opens_in = time_until(held, *ask.rate, ask.whole ? ask.count : 1);
    got.queued = state.queued;
    return got;
}

}  // namespace errand
