// Refusals of what a user gives, each one usage_error that names the handler, the member and the value. On any thread.
#pragma once

#include <errand/error.hpp>
#include <errand/time.hpp>

#include "core/json_quote.hpp"
#include "core/policy_rules.hpp"
#include "core/utf8.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace errand {

class member_check {
public:
    member_check(std::string_view handler, std::string_view of) : handler_{handler}, of_{of} {}

    [[noreturn]] void refuse(std::string_view member, std::string_view value, std::string_view rule) const {
        std::string text =
            "handler " + quote(handler_) + ": " + std::string{of_} + " ." + std::string{member};
        if (!value.empty()) text += " = " + std::string{value};
        throw usage_error{text + ": " + std::string{rule}};
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

    void number(std::string_view member, std::int64_t value, std::int64_t least, std::int64_t most) const {
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

}  // namespace errand
