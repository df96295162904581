// The statements of sql/, by their names. One belongs to one connection, and to its thread.
#pragma once

#include "sqlite/connection.hpp"

#include <memory>
#include <unordered_map>

namespace errand::sqlite {

// All statements of sql/. Prepared, so that a wrong one is found when the store
// is opened and not when it is first needed; or each by its first use, where
// few of them are used.
class statement_set {
public:
    statement_set(connection& in, bool prepared);
    // "file.name". Throws when there is none.
    statement& operator[](const std::string& name);

private:
    std::unordered_map<std::string, std::unique_ptr<statement>> all_;
};

// The text of schema.sql.
std::string_view schema_text();

}  // namespace errand::sqlite
