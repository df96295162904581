#include "core/policy_rules.hpp"

#include <errand/error.hpp>

#include "core/json_quote.hpp"
#include "core/utf8.hpp"

#include <algorithm>
#include <string>

namespace errand {
namespace {

// Names the handler and the member in every refusal.
class checker {
public:
    checker(std::string_view handler, std::string_view of) : handler_{handler}, of_{of} {}

    [[noreturn]] void refuse(std::string_view member, std::string_view value, std::string_view rule) const {
        std::string text =
            "handler " + quote(handler_) + ": " + std::string{of_} + " ." + std::string{member};
        if (!value.empty()) text += " = " + std::string{value};
        throw usage_error{text + ": " + std::string{rule}};
    }

    [[noreturn]] void not_available(std::string_view member) const {
        refuse(member, "", "is not available yet");
    }

    void name(std::string_view member, std::string_view value) const {
        if (value.empty()) refuse(member, "\"\"", "must not be empty");
        if (value.size() > max_name_length) {
            refuse(member, quote(value),
                   "is " + std::to_string(value.size()) + " bytes long; the limit is 255");
        }
        const bool control = std::ranges::any_of(value, [](char c) {
            return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
        });
        if (control) refuse(member, quote(value), "must not contain control characters");
        if (first_invalid_utf8(value) != value.size()) refuse(member, quote(value), "must be UTF-8");
    }

    void length_of_time(std::string_view member, duration value) const {
        if (value < duration::zero()) refuse(member, text(value), "must not be negative");
        if (value > max_duration) refuse(member, text(value), "must not be longer than 100 years");
    }

    void number(std::string_view member, int value, int least, int most) const {
        if (value >= least && value <= most) return;
        refuse(member, std::to_string(value),
               "must be " + std::to_string(least) + ".." + std::to_string(most));
    }

    static std::string text(duration value) { return std::to_string(value.count()) + "ms"; }
    static std::string quote(std::string_view text) { return detail::quoted_extract(text); }

private:
    std::string_view handler_;
    std::string_view of_;
};

// More attempts than this are a mistake, and their number is kept in a few digits.
constexpr int most_retries = 1'000'000;
// Their ids stand in the task's record, which is read with each attempt.
constexpr std::size_t most_dependencies = 200'000;

}  // namespace

void check_policy(std::string_view handler, const policy& of, bool has_concurrency_key) {
    const checker check{handler, "policy"};
    if (!of.name.empty()) check.name("name", of.name);
    for (const auto& alias : of.aliases) check.name("aliases", alias);
    check.name("queue", of.queue);
    check.length_of_time("timeout", of.timeout);
    check.number("max_retry", of.max_retry, 0, most_retries);
    check.number("priority", of.priority, 0, 9);
    if (of.unique_for) check.length_of_time("unique_for", *of.unique_for);
    check.length_of_time("retention", of.retention);
    if (of.expires_after) check.length_of_time("expires_after", *of.expires_after);
    if (of.max_running) check.not_available("max_running");
    if (of.rate) check.not_available("rate");
    if (!of.cron.empty()) check.not_available("cron");
    if (of.timezone != "UTC") check.not_available("timezone");
    if (has_concurrency_key) {
        throw usage_error{"handler " + checker::quote(handler) + ": concurrency_key is not available yet"};
    }
}

void check_options(std::string_view handler, const options& of) {
    const checker check{handler, "options"};
    if (of.biz_id) check_biz_id(handler, *of.biz_id);
    if (of.queue) check.name("queue", *of.queue);
    // A negative one is none.
    if (of.delay) check.length_of_time("delay", std::max(*of.delay, duration::zero()));
    if (of.delay && of.at) check.refuse("at", "", "cannot be given together with .delay");
    if (of.at && of.at->time_since_epoch() > 10 * max_duration) {
        check.refuse("at", checker::text(of.at->time_since_epoch()) + " since 1970",
                     "must be before the year 2970");
    }
    if (of.priority) check.number("priority", *of.priority, 0, 9);
    if (of.timeout) check.length_of_time("timeout", *of.timeout);
    if (of.max_retry) check.number("max_retry", *of.max_retry, 0, most_retries);
    if (of.expires_after) check.length_of_time("expires_after", *of.expires_after);
    if (of.retention) check.length_of_time("retention", *of.retention);
    if (of.after.size() > most_dependencies) {
        check.refuse("after", std::to_string(of.after.size()) + " tasks",
                     "must not be more than " + std::to_string(most_dependencies));
    }
    for (const auto& [key, value] : of.headers) {
        check.name("headers", key);
        if (first_invalid_utf8(value) != value.size())
            check.refuse("headers", checker::quote(value), "must be UTF-8");
    }
    for (const auto& tag : of.tags) check.name("tags", tag);
}

void check_wire_name(std::string_view name) { checker{name, "submission"}.name("wire name", name); }

void check_biz_id(std::string_view handler, std::string_view biz_id) {
    const checker check{handler, "options"};
    if (biz_id.empty()) check.refuse("biz_id", "\"\"", "must not be empty");
    if (biz_id.size() > max_biz_id_length) {
        check.refuse("biz_id", checker::quote(biz_id),
                     "is " + std::to_string(biz_id.size()) + " bytes long; the limit is " +
                         std::to_string(max_biz_id_length));
    }
    if (first_invalid_utf8(biz_id) != biz_id.size())
        check.refuse("biz_id", checker::quote(biz_id), "must be UTF-8");
}

}  // namespace errand
