// What may stand in the declaration of a schedule. Each bad value is a usage_error that names the handler, the member and
// the value. On any thread.
#pragma once

#include "core/schedule_rules.hpp"

#include <string>
#include <string_view>

namespace errand {

// The key of the schedule that a policy's .cron declares; no other one has it.
inline constexpr std::string_view policy_schedule_key = "policy";

// All but the cron line and its zone. `by_cron`: of cron(), else of every().
void check_schedule(std::string_view handler, const schedule_options& how, duration interval, bool by_cron);

// Of a schedule, or (`of`) of the policy.
void check_cron(std::string_view handler, std::string_view of, std::string_view line, const cron_seed& seed);
void check_zone(std::string_view handler, std::string_view of, std::string_view name,
                const zone_source& zones);

}  // namespace errand
