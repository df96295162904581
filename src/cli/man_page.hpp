// The manual page of the program, made of what its options say of themselves. Pure.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace errand::cli {

// In the language of man(7).
std::string man_page(const CLI::App& program);

}  // namespace errand::cli
