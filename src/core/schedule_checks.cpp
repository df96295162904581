#include "core/schedule_checks.hpp"

#include "core/member_check.hpp"

namespace errand {
namespace {

constexpr int most_made_up = 1000;

// What says "member = value: why" is told of whom it is said.
template <class Check>
void said_of(std::string_view handler, std::string_view of, Check check) {
    try {
        check();
    } catch (const usage_error& why) {
        throw usage_error{"handler " + member_check::quote(handler) + ": " + std::string{of} + " ." +
                          why.what()};
    }
}

// A run is made by a tick, once, whatever else there is.
void refuse_meaningless(const member_check& check, const options& of_runs) {
    const auto refuse = [&](bool given, std::string_view member) {
        if (given)
            check.refuse(std::string{"run."}.append(member), "", "has no meaning for runs of a schedule");
    };
    refuse(of_runs.biz_id.has_value(), "biz_id");
    refuse(of_runs.delay.has_value(), "delay");
    refuse(of_runs.at.has_value(), "at");
    refuse(!of_runs.after.empty(), "after");
    refuse(of_runs.on_failed_dependency.has_value(), "on_failed_dependency");
    refuse(of_runs.on_duplicate.has_value(), "on_duplicate");
}

}  // namespace

void check_schedule(std::string_view handler, const schedule_options& how, duration interval, bool by_cron) {
    const member_check check{handler, "schedule"};
    if (!how.key.empty()) check.name("key", how.key);
    if (how.key == policy_schedule_key)
        check.refuse("key", "\"policy\"", "is the key of the schedule that the policy's .cron declares");
    said_of(handler, "schedule", [&] { check_window({.begin = how.begin, .end = how.end}); });
    if (by_cron) {
        if (how.mode != schedule_mode::blocking_interval)
            check.refuse("mode", "", "is of every() alone; a cron line says when it ticks");
    } else {
        said_of(handler, "schedule", [&] { check_timing({.interval = interval, .mode = how.mode}); });
        if (!how.timezone.empty())
            check.refuse("timezone", member_check::quote(how.timezone), "is of cron() alone");
    }
    if (how.max_runs && *how.max_runs < 1)
        check.refuse("max_runs", std::to_string(*how.max_runs), "must be at least 1");
    check.number("missed_cap", how.missed_cap, 1, most_made_up);
    if (how.overlap == overlap_rule::queue_one && how.missed == missed_rule::run_all) {
        check.refuse(
            "missed", "run_all",
            "cannot be given together with .overlap = queue_one, of whose ticks only the newest waits");
    }
    check.length_of_time("jitter", how.jitter);
    refuse_meaningless(check, how.run);
}

void check_cron(std::string_view handler, std::string_view of, std::string_view line, const cron_seed& seed) {
    if (line.empty()) member_check{handler, of}.refuse("cron", "\"\"", "must not be empty");
    said_of(handler, of, [&] { cron_line::parse(line, seed); });
}

void check_zone(std::string_view handler, std::string_view of, std::string_view name,
                const zone_source& zones) {
    said_of(handler, of, [&] { zones(name); });
}

}  // namespace errand
