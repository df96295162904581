// The statements on the shelf's tables, by their names in sql/all.sql and sql/<database>.sql, which goes before.
#pragma once

#include "core/embedded_text.hpp"
#include "sql/dialect.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace errand::shelf {

// The files of sql/, by the names of the databases; and "all".
extern const std::span<const embedded_text> shelf_texts;

// Of what a statement is made for.
struct statement_of {
    std::int64_t day = 0;
    std::size_t ids = 0;
    std::size_t rows = 0;  // as many columns as its own have
};

// Any thread, once it knows the namespace.
class statements {
public:
    explicit statements(const sql::dialect& in);

    // Of the namespace with this number, whose days have tables of their own. Before any that is on one of these.
    void belong_to(std::int64_t space) { space_ = space; }

    // Empty: this database needs none.
    std::string text(std::string_view name, statement_of what = {}) const;
    // One that returns rows, of all these days as one.
    std::string of_all(std::string_view name, std::span<const std::int64_t> days, std::size_t ids) const;

private:
    std::string filled(std::string_view name, statement_of what) const;

    const sql::dialect& in_;
    std::int64_t space_ = 0;
    std::map<std::string, std::string, std::less<>> texts_;
};

}  // namespace errand::shelf
