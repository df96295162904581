// What the server or Boost.MySQL says against a statement, as errand's errors.
#pragma once

#include <boost/mysql/diagnostics.hpp>
#include <boost/mysql/error_code.hpp>

#include <string>
#include <string_view>

namespace errand::mysql {

// Whether the connection is of no use after this.
bool ends_connection(const boost::mysql::error_code& failed);

// Throws: store_error when the connection was lost, else serialization_failure or database_error with the server's number;
// the error of a cancelled wait as it is. `shown` names the database.
[[noreturn]] void refuse(const boost::mysql::error_code& failed, const boost::mysql::diagnostics& said,
                         const std::string& shown, std::string_view statement);

}  // namespace errand::mysql
