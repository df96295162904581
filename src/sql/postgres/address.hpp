// Where a PostgreSQL is, as libpq's own URLs say it:
//
//   postgres://[user[:password]@][host][:port][/db][?option=value…]      or postgresql://…
//   postgres:///db?host=/folder/of/the/socket
//
// Options are libpq's connection parameters (sslmode, sslrootcert, application_name, connect_timeout, …); several hosts, with
// commas between, are tried in order.
#pragma once

#include <chrono>
#include <map>
#include <string>

namespace errand::postgres {

struct address {
    std::map<std::string, std::string> settings;  // libpq's keywords
    std::chrono::seconds connect_timeout{10};     // all hosts together
    std::string shown;                            // for messages, without user and password
};

// Throws usage_error, never with the password.
address parse_address(const std::string& url);

}  // namespace errand::postgres
