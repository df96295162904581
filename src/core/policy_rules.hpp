// What may stand in an errand::policy and in errand::options. Each bad value is a usage_error that names the
// handler, the member and the value; what does not work yet is refused and never ignored.
#pragma once

#include <errand/options.hpp>
#include <errand/policy.hpp>

#include <string_view>

namespace errand {

// Names of handlers, queues and tags, and keys of headers: bytes.
inline constexpr std::size_t max_name_length = 255;
// A business identity, which is UTF-8: bytes.
inline constexpr std::size_t max_biz_id_length = 512;
// More attempts than this are a mistake, and their number is kept in a few digits.
inline constexpr int most_retries = 1'000'000;
// No length of time that a user gives is longer: sums with it stay far from overflow.
inline constexpr duration max_duration = std::chrono::days{36'525};

// `handler`: the name by which the message calls it, also when the policy's own is empty or bad.
// `arguments`: how many its perform takes. Whether the time zone is there is for others to say.
void check_policy(std::string_view handler, const policy& rules, bool has_concurrency_key,
                  std::size_t arguments = 0);
void check_options(std::string_view handler, const options& given);
// What is given above counts, and below it what is given below: headers are those of both.
options options_over(const options& above, const options& below);
// The name under which a task is submitted without its type.
void check_wire_name(std::string_view name);
// The business identity that a handler or a submission gives.
void check_biz_id(std::string_view handler, std::string_view biz_id);

}  // namespace errand
