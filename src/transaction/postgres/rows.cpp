#include "transaction/postgres/rows.hpp"

#include <errand/error.hpp>

#include "transaction/postgres/types.hpp"

#include <charconv>
#include <memory>
#include <string_view>

namespace errand::postgres {
namespace {

template <class Number>
sql::value number(std::string_view text) {
    Number value{};
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

sql::bytes bytes_of(const char* text) {
    struct freed {
        void operator()(unsigned char* one) const noexcept { PQfreemem(one); }
    };
    std::size_t size = 0;
    const void* shown = text;
    const std::unique_ptr<unsigned char, freed> plain{
        PQunescapeBytea(static_cast<const unsigned char*>(shown), &size)};
    if (!plain) throw std::bad_alloc{};
    const void* start = plain.get();
    const auto* first = static_cast<const std::byte*>(start);
    return {first, first + size};
}

sql::value value_of(const PGresult* from, int row, int column, Oid type) {
    if (PQgetisnull(from, row, column)) return std::monostate{};
    const char* start = PQgetvalue(from, row, column);
    const std::string_view text{start, static_cast<std::size_t>(PQgetlength(from, row, column))};
    switch (type) {
    case type_bool: return text == "t";
    case type_int2:
    case type_int4:
    case type_int8: return number<std::int64_t>(text);
    case type_float4:
    case type_float8: return number<double>(text);
    case type_bytea: return bytes_of(start);
    default: return std::string{text};
    }
}

// SELECT counts the rows it returns, which is no change.
std::uint64_t changed(const PGresult* from) {
    // The command's tag and the number at its end; libpq takes the result as writable for no reason.
    auto* result = const_cast<PGresult*>(from);
    const std::string_view tag{PQcmdStatus(result)};
    for (const std::string_view word : {"INSERT", "UPDATE", "DELETE", "MERGE"}) {
        if (!tag.starts_with(word)) continue;
        const std::string_view count{PQcmdTuples(result)};
        std::uint64_t rows = 0;
        std::from_chars(count.data(), count.data() + count.size(), rows);
        return rows;
    }
    return 0;
}

}  // namespace

sql::result rows_of(const PGresult* from) {
    sql::result all;
    all.affected = changed(from);
    const int columns = PQnfields(from);
    const int rows = PQntuples(from);
    std::vector<Oid> types;
    for (int column = 0; column < columns; ++column) {
        all.columns.emplace_back(PQfname(from, column));
        types.push_back(PQftype(from, column));
    }
    all.rows.reserve(static_cast<std::size_t>(rows));
    for (int row = 0; row < rows; ++row) {
        auto& values = all.rows.emplace_back();
        values.reserve(types.size());
        for (int column = 0; column < columns; ++column)
            values.push_back(value_of(from, row, column, types[static_cast<std::size_t>(column)]));
    }
    return all;
}

}  // namespace errand::postgres
