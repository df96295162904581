// Values as libpq takes and returns them.
#pragma once

#include <errand/sql.hpp>

#include <libpq-fe.h>

#include <string>
#include <vector>

namespace errand::postgres {

// Booleans, numbers and bytes go with their type. Texts and NULL go without one: the server takes the type that the place
// asks for, so that a text fits a column of UUIDs, dates or JSON. Points into the values, which must outlive it.
class parameters {
public:
    // Throws database_error when a text has a zero byte, which PostgreSQL cannot keep.
    explicit parameters(const std::vector<sql::value>& values);

    int count() const noexcept { return static_cast<int>(values_.size()); }
    const Oid* types() const noexcept { return types_.data(); }
    const char* const* values() const noexcept { return values_.data(); }
    const int* lengths() const noexcept { return lengths_.data(); }
    const int* formats() const noexcept { return formats_.data(); }
    // Differs where the types differ.
    std::string signature() const;

private:
    void add(Oid type, const char* value, std::size_t length, bool binary);
    void add_text(const std::string& text);
    void add_number(Oid type, std::string digits);

    std::vector<std::string> digits_;  // what the pointers of numbers point to
    std::vector<Oid> types_;
    std::vector<const char*> values_;
    std::vector<int> lengths_;
    std::vector<int> formats_;
};

// Booleans, numbers of 2 to 8 bytes and bytea are values of their own type; all else is text.
sql::result rows_of(const PGresult* from);

}  // namespace errand::postgres
