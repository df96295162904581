// What a line of an imported file submits: an object of JSON, or a record of CSV under a header, as the members of a submission
// over HTTP (handler, args, biz_id, …). What these may be is checked where they are read.
#pragma once

#include <boost/json/object.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace errand {

struct import_rules {
    std::string handler{};  // of lines that name none; empty: they have to
    std::string queue{};    // likewise; empty: the handler's
    // The member or column that has it; another one has to be there, or in the only one of `args`, and stays an argument.
    std::string biz_id = "biz_id";
    std::string at = "at";  // likewise when it is due
};

// The member of an exported line that tells where it comes from, and that an import passes over.
inline constexpr std::string_view exported_from = "was";

// A line without `args` has one argument: an object of what else it holds; none when that is nothing.
// Throws bad_data saying what does not fit.
boost::json::object task_of_json(std::string_view line, const import_rules& rules);

// Columns that are named as members of a submission are these: texts as they stand, others as JSON. All others are texts, or JSON
// where the name ends in ":json". An empty cell of a member is as if it were not there; of a JSON column it is null.
class csv_columns {
public:
    // Throws usage_error when columns have no name or one twice, or a column that the rules name is not there.
    csv_columns(std::vector<std::string> header, const import_rules& rules);

    std::size_t size() const noexcept { return columns_.size(); }
    // Throws bad_data saying what does not fit.
    boost::json::object task_of(const std::vector<std::string>& cells) const;

private:
    struct column {
        std::string name;
        bool json = false;
        bool member = false;
    };
    std::vector<column> columns_;
    import_rules rules_;
};

}  // namespace errand
