// File names are bytes: they need not be UTF-8, which JSON demands, and may hold line breaks, which would end
// a checksum's line.
#pragma once

#include <string>
#include <string_view>

// The name in the letters of a file URL: every byte that is not printable ASCII, and '%', as %XX.
std::string encode_name(std::string_view name);
// The name again. Throws std::invalid_argument when this is none that encode_name wrote.
std::string decode_name(std::string_view encoded);

// As sha256sum writes a name: backslash, line feed and carriage return as \\, \n and \r.
struct checksum_name {
    std::string text;
    bool escaped;  // then the line begins with a backslash
};
checksum_name escape_for_checksum(std::string_view name);

// For people's eyes: control characters, which could do things to a terminal, as \xNN.
std::string printable(std::string_view name);
