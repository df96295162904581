#include "core/stage_rules.hpp"

#include <errand/detail/stage_call.hpp>
#include <errand/error.hpp>
#include <errand/outcome.hpp>

#include "core/backoff_delay.hpp"
#include "core/json_quote.hpp"
#include "core/policy_rules.hpp"
#include "core/random.hpp"

#include <algorithm>

namespace errand {
namespace {

// One reply carries all stages of a task: more would outgrow what Redis lets a slow reader leave unread.
constexpr std::size_t most_kept = std::size_t{16} * 1024 * 1024;

void check_length(std::string_view name, std::string_view member, duration value) {
    if (value >= duration::zero() && value <= max_duration) return;
    throw usage_error{stage_in_words(name) + ": ." + std::string{member} + " = " +
                      std::to_string(value.count()) + "ms: must be 0 .. 100 years"};
}

}  // namespace

std::string stage_in_words(std::string_view name) { return "stage " + detail::quoted_extract(name); }

void check_stage(std::string_view name, const stage_options& how) {
    if (name.empty()) throw usage_error{"stage \"\": the name of a stage must not be empty"};
    if (name.size() > max_name_length) {
        throw usage_error{stage_in_words(name) + ": the name is " + std::to_string(name.size()) +
                          " bytes long; the limit is " + std::to_string(max_name_length)};
    }
    if (how.max_retry < 0) {
        throw usage_error{stage_in_words(name) + ": .max_retry = " + std::to_string(how.max_retry) +
                          ": must not be negative"};
    }
    check_length(name, "timeout", how.timeout);
}

void refuse_second_call(std::string_view name) {
    throw usage_error{
        stage_in_words(name) +
        " was called twice in one attempt: its result is kept under its name, so each stage of a "
        "task needs a name of its own"};
}

void refuse_under_transaction(std::string_view name) {
    throw usage_error{
        stage_in_words(name) +
        " was called under an open transaction: its result would be kept even if the transaction "
        "were not; open the transaction inside the stage"};
}

void check_stage_result(std::string_view name, std::size_t bytes, std::size_t max_payload) {
    if (bytes <= max_payload) return;
    throw bad_data{stage_in_words(name) + ": result: " + std::to_string(bytes) +
                   " bytes of JSON, the limit is max_payload = " + std::to_string(max_payload) +
                   ": return a reference to the data instead, or raise max_payload"};
}

void check_kept_stages(std::string_view name, std::size_t bytes, std::size_t max_payload) {
    const auto limit = std::min(8 * max_payload, most_kept);
    if (bytes <= limit) return;
    throw bad_data{stage_in_words(name) + ": with it the stored stages of this task would take " +
                   std::to_string(bytes) + " bytes, the limit is " + std::to_string(limit) +
                   " (8 * max_payload, at most 16 MiB): return references to the data instead"};
}

bool may_try_again(const std::exception_ptr& failure) noexcept {
    try {
        std::rethrow_exception(failure);
    } catch (const discard&) {
    } catch (const retry_in&) {
    } catch (const snooze&) {
    } catch (const lease_lost&) {
    } catch (const usage_error&) {
    } catch (...) {
        return true;
    }
    return false;
}

namespace detail {

void refuse_stage_data(std::string_view name, const bad_data& why) {
    throw bad_data{stage_in_words(name) + ": " + why.what()};
}

void refuse_empty_stage(std::string_view name) {
    throw usage_error{
        stage_in_words(name) +
        " returned an awaitable that holds nothing: one that was moved from or default-constructed"};
}

}  // namespace detail

duration delay_before_retry(const backoff& rule, int retries, const std::exception_ptr& failure) {
    try {
        return std::clamp(rule(retries, failure), duration::zero(), max_duration);
    } catch (...) {
        // As with tasks: a backoff that throws does not cost the retry.
        return polynomial_delay(retries, random_unit());
    }
}

}  // namespace errand
