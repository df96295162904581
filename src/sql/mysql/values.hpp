// Values as Boost.MySQL takes and returns them.
#pragma once

#include <errand/sql.hpp>

#include <boost/mysql/field_view.hpp>
#include <boost/mysql/metadata_collection_view.hpp>
#include <boost/mysql/rows_view.hpp>

#include <vector>

namespace errand::mysql {

// Point into the values, which must outlive them. A bool is 1 or 0: MySQL has no other.
std::vector<boost::mysql::field_view> fields_of(const std::vector<sql::value>& values);

void add_columns(sql::result& to, boost::mysql::metadata_collection_view columns);

// Whole numbers are std::int64_t (the few that do not fit are text), FLOAT and DOUBLE double, binary columns bytes; all else
// is text as the server would print it.
void add_rows(sql::result& to, boost::mysql::rows_view rows, boost::mysql::metadata_collection_view columns);

}  // namespace errand::mysql
