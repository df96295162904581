// CSV as RFC 4180 has it, record by record: fields apart by commas, in quotes where they hold commas, quotes (doubled) or line
// breaks; lines end with LF or CRLF.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace errand {

struct csv_record {
    std::vector<std::string> fields{};
    std::size_t bytes = 0;  // that it takes up, its line break included
    std::size_t lines = 0;  // line breaks in them; the end of the text counts as one
    std::string fault{};  // a sentence when it is no record: then `bytes` are those of the lines passed over
};

// The record that the text begins with. Nullopt: it is not whole, and more may follow.
// @param last nothing follows: what stands there is all
std::optional<csv_record> read_csv_record(std::string_view text, bool last);

}  // namespace errand
