#include "app/environment.hpp"

#include <string_view>
#include <unistd.h>

namespace errand {

std::vector<std::string> names_of_variables() {
    std::vector<std::string> names;
    for (char* const* one = environ; one && *one; ++one) {
        const std::string_view text{*one};
        names.emplace_back(text.substr(0, text.find('=')));
    }
    return names;
}

}  // namespace errand
