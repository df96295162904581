#include "store/sqlite/statement_set.hpp"

#include "core/named_sql.hpp"
#include "store/sqlite/sql_texts.hpp"

#include <sqlite3.h>

#include <algorithm>

namespace errand::sqlite {
namespace {

constexpr std::string_view schema_file = "schema";

void prepare(statement& one, const std::string& name) {
    try {
        one.prepare();
    } catch (const failure& why) {
        throw failure{why.extended, "sql/" + name + ": " + why.what()};
    }
}

}  // namespace

std::string_view schema_text() {
    return std::ranges::find(sql_texts, schema_file, &embedded_text::name)->text;
}

statement_set::statement_set(connection& in, bool prepared) {
    for (const auto& file : sql_texts) {
        if (file.name == schema_file) continue;
        for (const auto& [name, sql] : named_sql_in(file.text)) {
            const auto whole = std::string{file.name} + '.' + std::string{name};
            auto& made = all_[whole];
            made = std::make_unique<statement>(in.raw(), sql);
            if (prepared) prepare(*made, whole);
        }
    }
}

statement& statement_set::operator[](const std::string& name) {
    const auto found = all_.find(name);
    if (found == all_.end()) throw failure{SQLITE_ERROR, "there is no statement " + name};
    return *found->second;
}

}  // namespace errand::sqlite
