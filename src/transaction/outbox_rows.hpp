// Submissions to rows of errand_outbox and back. Pure.
//
// A row carries all that the store takes: a submission that is read back is the same, byte for byte, but that its delay
// is the time that it falls due at.
#pragma once

#include <errand/sql.hpp>

#include "store/store.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace errand {

// Grows when older versions could not read a row.
inline constexpr std::int64_t outbox_format = 1;

// The tasks of one commit have one batch, and their places in it.
struct outbox_batch {
    std::string name_space;
    std::string name;  // a UUID that begins with the time
};

inline constexpr std::size_t outbox_columns = 13;
// The parameters of "outbox.row".
void append_row(std::vector<sql::value>& to, const outbox_batch& of, std::size_t place,
                const submission_item& item);

struct outbox_row {
    std::string batch;
    std::int64_t place = 0;
    duration age{0};
    submission_item item;
};

// What "outbox.take" has selected. Throws bad_data naming batch and place of a row that this version cannot read.
outbox_row read_row(const std::vector<sql::value>& columns);

// Rows by their names, as "outbox.strike" takes them.
class outbox_places {
public:
    void add(std::string_view batch, std::int64_t place);
    std::size_t size() const noexcept { return size_; }
    // [["batch", place], …]
    std::string json() const { return "[" + text_ + "]"; }

private:
    std::string text_;
    std::size_t size_ = 0;
};

outbox_places places_of(const std::vector<outbox_row>& rows);

}  // namespace errand
