#include "core/settings_text.hpp"

#include <errand/error.hpp>

#include "core/config_text.hpp"
#include "core/member_check.hpp"
#include "core/rate_gate.hpp"

#include <limits>

namespace errand {
namespace {

constexpr int most_batch = 1000;

std::optional<backoff> exponential_of(std::string_view lengths) {
    const auto colon = lengths.find(':');
    if (colon == lengths.npos) return std::nullopt;
    const auto first = parse_duration(lengths.substr(0, colon));
    const auto cap = parse_duration(lengths.substr(colon + 1));
    if (!first || !cap || *first <= duration::zero() || *cap < *first) return std::nullopt;
    return backoff::exponential(*first, *cap);
}

std::optional<backoff> uniform_of(std::string_view text) {
    const auto interval = parse_duration(text);
    if (!interval || *interval < duration::zero()) return std::nullopt;
    return backoff::uniform(*interval);
}

}  // namespace

std::optional<backoff> find_backoff(std::string_view text) {
    constexpr std::string_view exponential = "exponential:", uniform = "uniform:";
    if (text == "polynomial") return backoff::polynomial();
    if (text.starts_with(exponential)) return exponential_of(text.substr(exponential.size()));
    if (text.starts_with(uniform)) return uniform_of(text.substr(uniform.size()));
    return std::nullopt;
}

void check_settings(std::string_view handler, const handler_settings& values) {
    const member_check check{handler, "settings"};
    if (values.max_retry) check.number("max_retry", *values.max_retry, 0, most_retries);
    if (values.timeout) check.length_of_time("timeout", *values.timeout);
    if (values.backoff && values.backoff->text().empty()) {
        check.refuse(
            "backoff", "",
            "a callable of the program cannot be kept by the store: use backoff::polynomial, exponential or "
            "uniform");
    }
    if (values.priority) check.number("priority", *values.priority, 0, 9);
    if (values.retention) check.length_of_time("retention", *values.retention);
    if (values.expires_after) check.length_of_time("expires_after", *values.expires_after);
    if (values.max_running)
        check.number("max_running", *values.max_running, 0, std::numeric_limits<int>::max());
    if (values.rate) {
        check_rate("handler " + member_check::quote(handler) + ": settings .rate", *values.rate,
                   values.rate->burst);
    }
    if (values.batch) check.number("batch", *values.batch, 1, most_batch);
    if (values.interval) check.length_of_time("interval", *values.interval);
}

}  // namespace errand
