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

// Finds the end of a record that is too long to be held, from pieces of it: the end that read_csv_record() would find, but that a quote
// that is not closed goes on to the end of all.
class csv_record_end {
public:
    // How much of this piece belongs to the record; when that is all of it, is_found() says whether the record ends with it.
    std::size_t look_in(std::string_view piece);
    bool is_found() const noexcept { return in_ == inside::nothing; }
    bool is_in_quotes() const noexcept { return in_ == inside::quotes; }

private:
    enum class inside { field_begins, plain, quotes, quote_seen, fault, nothing };

    inside after(char next) const noexcept;

    inside in_ = inside::field_begins;
};

}  // namespace errand
