#include "store/redis/connection_config.hpp"

#include <errand/error.hpp>

#include "store/redis/slot_subscription.hpp"

#include <boost/asio/ssl/host_name_verification.hpp>

#include <utility>

namespace errand::redis {

namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

// Where another server takes over, one that cannot be connected to does not hold up the next.
constexpr auto short_connect_timeout = 2s;

}  // namespace

std::vector<boost::redis::address> library_addresses(const std::vector<endpoint>& of) {
    std::vector<boost::redis::address> all;
    for (const auto& [host, port] : of) all.push_back({host, port});
    return all;
}

void say_hello(boost::redis::request& to, const std::string& user, const std::string& password) {
    if (password.empty())
        to.hello();
    else
        to.hello(user.empty() ? "default" : user, password);
}

asio::ssl::context tls_of(const address& to, std::function<std::string()> host) {
    asio::ssl::context tls{asio::ssl::context::tls_client};
    if (!to.tls) return tls;
    boost::system::error_code failed;
    if (to.ca_file.empty()) {
        tls.set_default_verify_paths(failed);
    } else {
        tls.load_verify_file(to.ca_file, failed);
        if (failed) {
            throw usage_error{"the store's URL names a file of authorities (ca) that cannot be read: " +
                              to.ca_file};
        }
    }
    tls.set_verify_mode(to.verify ? asio::ssl::verify_peer : asio::ssl::verify_none);
    if (to.verify) {
        tls.set_verify_callback([host = std::move(host)](bool is_good, asio::ssl::verify_context& of) {
            return asio::ssl::host_name_verification{host()}(is_good, of);
        });
    }
    return tls;
}

boost::redis::config plain_config(const address& to) {
    boost::redis::config config;
    config.use_ssl = to.tls;
    config.addr = {to.host, to.port};
    config.unix_socket = to.unix_path;
    config.reconnect_wait_interval = usual_reconnect_interval;
    if (to.kind != server_kind::single) config.connect_timeout = short_connect_timeout;
    // The next attempt may go to another server.
    if (to.kind == server_kind::cluster) config.reconnect_wait_interval = 0s;
    // The library's own check takes a large call on a slow line for silence, and a PING that is refused for a loss.
    config.health_check_interval = 0s;
    config.use_setup = true;
    config.setup.clear();
    say_hello(config.setup, to.user, to.password);
    return config;
}

boost::redis::config config_of(const address& to, std::string_view channel, std::string_view of_all,
                               const boost::redis::request& check) {
    auto config = plain_config(to);
    if (to.kind == server_kind::sentinels) {
        config.sentinel.master_name = to.master;
        config.sentinel.addresses = library_addresses(to.seeds);
        config.sentinel.setup.clear();
        say_hello(config.sentinel.setup, to.sentinel_user, to.sentinel_password);
    }
    // Larger reads make pipelined calls answer in lock step, which halves the rate (measured).
    config.read_buffer_append_size = 4096;
    if (to.database != 0) config.setup.push("SELECT", to.database);
    config.setup.append(check);
    // A SUBSCRIBE that is refused answers where no answer is due, and all later answers would go to the wrong calls:
    // whether the user may is asked first, with a message that nobody hears.
    // That goes to the keys' own server of a cluster alone, and so does the subscription.
    const bool in_cluster = to.kind == server_kind::cluster;
    config.setup.push(in_cluster ? "SPUBLISH" : "PUBLISH", channel, "");
    // Last, so that its confirmation says that all before it succeeded.
    if (in_cluster)
        push_slot_subscription(config.setup, of_all, channel);
    else
        config.setup.subscribe({of_all, channel});
    return config;
}

}  // namespace errand::redis
