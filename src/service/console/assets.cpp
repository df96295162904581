#include "service/console/assets.hpp"

#include <errand/error.hpp>

#include "core/hex.hpp"
#include "core/sha256.hpp"
#include "service/console/links.hpp"
#include "service/console/page_texts.hpp"
#include "service/target.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace errand::console {
namespace {

std::string digest_of_all() {
    std::string all;
    for (const auto& one : page_texts) all += with_length(one.name) + with_length(one.text);
    const auto digest = sha256(all);
    return to_hex({reinterpret_cast<const char*>(digest.data()), 8});
}

bool is_plain_path(std::string_view prefix) {
    if (!prefix.starts_with('/') || prefix.ends_with('/')) return false;
    return std::ranges::all_of(web::parts_of(prefix), [](std::string_view part) {
        return !part.empty() && part != "." && part != ".." && web::percent_encoded(part) == part;
    });
}

}  // namespace

void check(const console_options& given) {
    if (!given.prefix.empty() && !is_plain_path(given.prefix)) {
        throw usage_error{
            "service_options .console.prefix: \"" + given.prefix +
            "\" is no path like /errand: it begins with a /, does not end with one, and has letters, digits, "
            "-, _ and . between"};
    }
    if (!given.files.empty() && !std::filesystem::exists(std::filesystem::path{given.files} / "index.html"))
        throw usage_error{"service_options .console.files: there is no index.html in " + given.files};
    check_links(given);
}

assets::assets(const console_options& how) : folder_{how.files}, build_{digest_of_all()} {
    if (!folder_.empty()) build_ = "edited";
}

std::optional<std::string> assets::find(std::string_view name) const {
    // Only what was built in has a name here, so that no other file is read.
    const auto at = std::ranges::lower_bound(page_texts, name, {}, &embedded_text::name);
    const bool built_in = at != page_texts.end() && at->name == name;
    if (folder_.empty()) return built_in ? std::optional{std::string{at->text}} : std::nullopt;
    if (name.find("..") != name.npos || name.starts_with('/')) return std::nullopt;
    std::ifstream file{std::filesystem::path{folder_} / name, std::ios::binary};
    if (!file) return std::nullopt;
    return std::string{std::istreambuf_iterator<char>{file}, {}};
}

std::vector<std::string_view> assets::modules() {
    std::vector<std::string_view> all;
    for (const auto& one : page_texts) {
        // The theme is in force before anything is drawn: no module.
        if (one.name.ends_with(".js") && one.name != "app.js" && one.name != "theme.js")
            all.push_back(one.name);
    }
    return all;
}

std::string type_of(std::string_view name) {
    if (name.ends_with(".js")) return "text/javascript; charset=utf-8";
    if (name.ends_with(".css")) return "text/css; charset=utf-8";
    if (name.ends_with(".svg")) return "image/svg+xml";
    if (name.ends_with(".html")) return "text/html; charset=utf-8";
    return "text/plain; charset=utf-8";
}

}  // namespace errand::console
