#include "sql/known_drivers.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace errand::sql {
namespace {

// Written before main() alone.
std::vector<std::pair<std::string_view, url_driver>>& known() {
    static std::vector<std::pair<std::string_view, url_driver>> all;
    return all;
}

}  // namespace

bool make_known(std::string_view scheme, url_driver maker) {
    known().emplace_back(scheme, maker);
    return true;
}

std::unique_ptr<driver> driver_by_url(const std::string& url) {
    const auto found =
        std::ranges::find_if(known(), [&](const auto& one) { return url.starts_with(one.first); });
    return found == known().end() ? nullptr : found->second(url);
}

}  // namespace errand::sql
