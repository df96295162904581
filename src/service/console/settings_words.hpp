// How a service is set, in words for people. Pure. Nothing secret is in them: no passwords of stores, no tokens, no keys.
#pragma once

#include <errand/config.hpp>
#include <errand/service.hpp>

#include <string>
#include <vector>

namespace errand::console {

struct setting_words {
    const char* about;
    std::string words;
};

struct service_state {
    bool encrypts = false;
    bool traces = false;
};

std::vector<setting_words> settings_in_words(const config& of_app, const service_options& of_service,
                                             const service_state& now);

}  // namespace errand::console
