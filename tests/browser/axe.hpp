// What axe-core (tests/browser/vendor) says of a page: what would keep somebody out who sees little, or has keys alone.
#pragma once

#include "browser/browser.hpp"

#include <string>

namespace browser_test {

// Its findings of the page as it is now that are serious or critical, one a line; nothing when there are none.
std::string barriers(browser& b);

}  // namespace browser_test
