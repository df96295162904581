// The statements on errand_outbox and errand_inbox, by their names in sql/<database>/<file>.sql.
#pragma once

#include "sql/dialect.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace errand {

// Read once for each database; any thread.
class outbox_statements {
public:
    static const outbox_statements& of(const sql::dialect& in);

    // "outbox.take". Throws when there is none.
    const std::string& operator[](std::string_view name) const;
    // What makes the tables, in order, with its comments: they are for who prints it.
    const std::vector<std::string>& tables() const noexcept { return tables_; }
    // "outbox.write" with so many rows.
    std::string insert(std::size_t rows) const;

private:
    explicit outbox_statements(const sql::dialect& in);

    const sql::dialect& in_;
    std::vector<std::pair<std::string, std::string>> named_;
    std::vector<std::string> tables_;
};

}  // namespace errand
