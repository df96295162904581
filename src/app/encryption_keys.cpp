#include "app/encryption_keys.hpp"

#include <errand/error.hpp>

#include <cstddef>
#include <fstream>
#include <iterator>
#include <string>

namespace errand {
namespace {

constexpr std::size_t most_sealed_payload = std::size_t{12} * 1024 * 1024;

// No id of a key begins so.
bool is_path(const std::string& text) { return text.starts_with('/') || text.starts_with("./"); }

std::string text_of_keys(const std::string& setting) {
    if (!is_path(setting)) return setting;
    std::ifstream in{setting, std::ios::binary};
    if (!in) throw usage_error{"ERRAND_ENCRYPTION_KEYS: cannot read " + setting};
    return {std::istreambuf_iterator<char>{in}, std::istreambuf_iterator<char>{}};
}

}  // namespace

std::shared_ptr<const sealing> sealing_for(const config& settings, const encryption& with) {
    auto keys = std::make_shared<const sealing>(with);
    // Kept, it must not be larger than what max_payload may be without.
    if (settings.max_payload > most_sealed_payload) {
        throw usage_error{
            "config.max_payload: at most 12 MiB where content is encrypted, since what is kept is a third longer"};
    }
    return keys;
}

std::shared_ptr<const sealing> keys_of_config(const config& settings) {
    const auto& setting = settings.encryption_keys;
    if (setting.empty()) return nullptr;
    const encryption with{.keys = read_encryption_keys(text_of_keys(setting))};
    // A file that was emptied by mistake must not turn encryption off.
    if (with.keys.empty()) {
        throw usage_error{"ERRAND_ENCRYPTION_KEYS: " + (is_path(setting)
                                                            ? setting + " has no key"
                                                            : std::string{"there is no key in it"})};
    }
    return sealing_for(settings, with);
}

}  // namespace errand
