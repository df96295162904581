#include "cli/text.hpp"

#include "core/utf8.hpp"

namespace errand::cli {
namespace {

bool begins_character(char c) noexcept { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

}  // namespace

std::string plain(std::string_view text) {
    std::string out = repaired_utf8(text);
    for (std::size_t at = 0; at < out.size(); ++at) {
        const auto byte = static_cast<unsigned char>(out[at]);
        if (byte < 0x20 || byte == 0x7F) out[at] = ' ';
        // U+0080 to U+009F: a terminal may take them for the beginning of a sequence.
        if (byte == 0xC2 && static_cast<unsigned char>(out[at + 1]) < 0xA0) out.replace(at, 2, " ");
    }
    return out;
}

std::size_t width_of(std::string_view text) noexcept {
    std::size_t width = 0;
    for (const char c : text) width += begins_character(c) ? 1U : 0U;
    return width;
}

std::string cut(std::string_view text, std::size_t width) {
    if (width_of(text) <= width) return std::string{text};
    if (width == 0) return {};
    std::size_t end = 0;
    for (std::size_t seen = 0; end < text.size(); ++end) {
        if (begins_character(text[end]) && ++seen == width) break;
    }
    return std::string{text.substr(0, end)} + "…";
}

}  // namespace errand::cli
