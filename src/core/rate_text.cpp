#include "core/rate_text.hpp"

#include "core/config_text.hpp"
#include "core/whole_number.hpp"

#include <utility>

namespace errand {

std::optional<rate_limit> read_pace(std::string_view text) {
    const auto slash = text.find('/');
    if (slash == text.npos) return std::nullopt;
    const auto count = whole_number<std::int64_t>(text.substr(0, slash));
    if (!count || !std::in_range<int>(*count)) return std::nullopt;
    rate_limit rate{.count = static_cast<int>(*count)};
    const auto per = text.substr(slash + 1);
    for (const auto& [name, length] : rate_units) {
        if (per != name) continue;
        rate.per = length;
        return rate;
    }
    const auto length = parse_duration(per);
    if (!length) return std::nullopt;
    rate.per = *length;
    return rate;
}

}  // namespace errand
