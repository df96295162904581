// A token that nobody guesses.
#pragma once

#include <string>

namespace errand::web {

// "errand_" and 256 bits from the system. Throws error when it has none to give.
std::string fresh_token();

}  // namespace errand::web
