#include "outbox/statements.hpp"

#include "core/named_sql.hpp"
#include "outbox/sql_texts.hpp"

#include <algorithm>
#include <stdexcept>

namespace errand {
namespace {

std::span<const embedded_text> files_of(std::string_view database) {
    if (database == "sqlite") return sql::sqlite_texts;
    if (database == "postgres") return sql::postgres_texts;
    return sql::mysql_texts;
}

}  // namespace

outbox_statements::outbox_statements(const sql::dialect& in) : in_{in} {
    for (const auto& file : files_of(in.name)) {
        for (const auto& [name, text] : named_sql_in(file.text)) {
            if (file.name == "install") {
                tables_.emplace_back(text);
            } else {
                named_.emplace_back(std::string{file.name} + '.' + std::string{name}, without_comments(text));
            }
        }
    }
}

const outbox_statements& outbox_statements::of(const sql::dialect& in) {
    static const outbox_statements sqlite{sql::dialect::of("sqlite")};
    static const outbox_statements postgres{sql::dialect::of("postgres")};
    static const outbox_statements mysql{sql::dialect::of("mysql")};
    return in.name == "sqlite" ? sqlite : in.name == "postgres" ? postgres : mysql;
}

const std::string& outbox_statements::operator[](std::string_view name) const {
    const auto found = std::ranges::find_if(named_, [&](const auto& one) { return one.first == name; });
    if (found == named_.end())
        throw std::logic_error{"sql/" + std::string{in_.name} + ": there is no statement " +
                               std::string{name}};
    return found->second;
}

std::string outbox_statements::insert(std::size_t rows) const {
    std::string all{(*this)["outbox.write"]};
    const auto& row = (*this)["outbox.row"];
    std::size_t number = 0;
    for (std::size_t n = 0; n < rows; ++n) {
        all += n == 0 ? "\n" : ",\n";
        for (const char c : row) {
            all += c;
            if (c == '?' && in_.numbered) {
                all.back() = '$';
                all += std::to_string(++number);
            }
        }
    }
    return all;
}

}  // namespace errand
