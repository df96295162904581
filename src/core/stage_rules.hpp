// What may be asked of a stage, and which of its failures another try may mend.
#pragma once

#include <errand/stage.hpp>

#include "core/record.hpp"

#include <cstddef>
#include <exception>
#include <string>
#include <string_view>

namespace errand {

// Each throws usage_error naming the stage and the value.
void check_stage(std::string_view name, const stage_options& how);
[[noreturn]] void refuse_second_call(std::string_view name);
[[noreturn]] void refuse_under_transaction(std::string_view name);

// Each throws bad_data: when a result is larger than max_payload; when all that the task keeps would be larger than eight times
// that, or than 16 MiB.
void check_stage_result(std::string_view name, std::size_t bytes, std::size_t max_payload);
void check_kept_stages(std::string_view name, std::size_t bytes, std::size_t max_payload);

// False for what the handler meant for the attempt (discard, retry_in, snooze), and for what stays as it is however
// often it is tried (usage_error, lease_lost).
bool may_try_again(const std::exception_ptr& failure) noexcept;

// How long until the next try, when so many retries were made before.
duration delay_before_retry(const backoff& rule, int retries, const std::exception_ptr& failure);

// `stage "decode"`.
std::string stage_in_words(std::string_view name);

}  // namespace errand
