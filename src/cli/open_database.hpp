// The one place of this program that knows which databases there are.
#pragma once

#include <errand/database.hpp>

#include <memory>
#include <string>

namespace errand::cli {

// By the URL's scheme. Throws usage_error for one that this program was not built with.
std::shared_ptr<database> open_database(errand::app& owner, const std::string& url);

}  // namespace errand::cli
