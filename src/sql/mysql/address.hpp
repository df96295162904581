// Where a MySQL or MariaDB is, as a URL says it:
//
//   mysql://[user[:password]@]host[:port][/db][?option=value…]
//   mysql://[user[:password]@]localhost[/db]?socket=/path/of/the/socket
//
// Options: socket=PATH; tls=on (the server's certificate is checked; with ca=FILE against that authority, with verify=none
// not at all); connect_timeout=SECONDS. User, password, db and values may have %-codes.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace errand::mysql {

struct address {
    std::string host;
    unsigned short port = 3306;
    std::string socket;  // not empty: host and port do not count
    std::string user;
    std::string password;
    std::string database;
    bool tls = false;
    bool verify = true;
    std::string ca_file;  // empty: the system's authorities
    std::chrono::seconds connect_timeout{10};
    std::string shown;  // the URL for messages, without user and password
};

// Throws usage_error naming the part that is wrong, never the password.
address parse_address(std::string_view url);

}  // namespace errand::mysql
