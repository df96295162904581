// Where a Redis is, as a URL says it:
//
//   redis://[user[:password]@]host[:port][/db]        rediss://… the same over TLS [?ca=FILE][&verify=none]
//   redis+unix://[user[:password]@]/path/of/socket[?db=N]
//   redis+cluster://[user[:password]@]host[:port],host[:port]…    rediss+cluster://… the same over TLS
//   redis+sentinel://[user[:password]@]host[:port],host[:port]…/name[?db=N][&sentinel_password=…][&sentinel_user=…]
//
// And for all, [?wait=N]: a change counts when so many replicas have it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace errand::redis {

struct endpoint {
    std::string host, port;
    bool operator==(const endpoint&) const = default;
};

enum class server_kind : unsigned char {
    single,
    cluster,    // whichever server of it has the shard's keys
    sentinels,  // whichever server these call the master
};

struct address {
    std::string host = "127.0.0.1";
    std::string port = "6379";
    std::string unix_path;  // not empty: host and port do not count
    std::string user;
    std::string password;
    int database = 0;
    bool tls = false;
    bool verify = true;   // the server's certificate
    std::string ca_file;  // empty: the system's authorities
    int wait = 0;         // replicas that confirm each change before it counts
    server_kind kind = server_kind::single;
    std::vector<endpoint> seeds;  // of the cluster, or the Sentinels: then host and port do not count
    std::string master;           // as Sentinels call it
    std::string sentinel_user, sentinel_password;  // theirs
    std::string shown;                             // the URL for messages, without user and password
};

// Throws usage_error naming the part that is wrong, never the password.
address parse_address(std::string_view url);

}  // namespace errand::redis
