// The statements of a database, by their names in sql/<database>/<file>.sql.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace errand::sql {

struct named_statement {
    std::string name;  // "file.name"
    std::string text;
};

class dialect {
public:
    // "sqlite", "postgres" or "mysql". Throws usage_error for another name.
    static const dialect& of(std::string_view name);

    std::string_view name() const noexcept { return name_; }
    // "outbox.take". Throws when there is none.
    const std::string& operator[](std::string_view name) const;
    // Those of one file, in its order.
    std::vector<const named_statement*> of_file(std::string_view file) const;
    // Parameters are $1, $2 …, and not ?.
    bool numbered() const noexcept { return numbered_; }
    // Rows can be locked without keeping those who write others waiting, and those that are locked passed over.
    bool locks_rows() const noexcept { return locks_rows_; }
    // How many parameters a statement may have.
    std::size_t most_parameters() const noexcept { return most_parameters_; }

    // "INSERT … VALUES" with the row of "file.row" so many times.
    std::string insert(std::string_view head, std::string_view row, std::size_t times) const;

private:
    dialect(std::string_view name, bool numbered, bool locks_rows, std::size_t most_parameters);

    std::string_view name_;
    bool numbered_;
    bool locks_rows_;
    std::size_t most_parameters_;
    std::vector<named_statement> all_;
};

}  // namespace errand::sql
