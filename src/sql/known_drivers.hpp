// Databases by the scheme of their URL, for who names one by its URL alone. SQLite is known everywhere; the others where their library
// is linked, which makes them known before main().
#pragma once

#include "sql/driver.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace errand::sql {

using url_driver = std::unique_ptr<driver> (*)(const std::string& url);

// `scheme` is the front of its URLs: "postgres", "mysql:". True, for a constant to be initialised with.
bool make_known(std::string_view scheme, url_driver maker);

// Throws usage_error for a URL that the driver refuses; null when none is known for it.
std::unique_ptr<driver> driver_by_url(const std::string& url);

}  // namespace errand::sql
