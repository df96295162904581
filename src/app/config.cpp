// The process's environment and the file it names, as a config.
#include <errand/config.hpp>
#include <errand/error.hpp>

#include "core/config_text.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

namespace errand {

namespace {

std::optional<std::string> variable(const std::string& name) {
    const char* value = std::getenv(name.c_str());
    if (value == nullptr || *value == '\0') return std::nullopt;
    return std::string{value};
}

std::string contents_of(const std::string& file) {
    std::ifstream in{file, std::ios::binary};
    if (!in) throw usage_error{"ERRAND_CONFIG: cannot read " + file};
    return {std::istreambuf_iterator<char>{in}, std::istreambuf_iterator<char>{}};
}

}  // namespace

config config::from_environment() {
    config settings;
    if (const auto file = variable("ERRAND_CONFIG")) apply_json(settings, contents_of(*file), *file);
    apply_variables(settings, variable);
    check_config(settings);
    return settings;
}

}  // namespace errand
