// A connection to one shard for who only looks at it, without opening it as a store: nothing is made or stamped.
#pragma once

#include "store/redis/caller.hpp"
#include "store/redis/connection.hpp"
#include "store/redis/keys.hpp"
#include "store/settings.hpp"

#include <boost/asio/io_context.hpp>

#include <memory>
#include <string_view>

namespace errand::redis {

// Hears what its caller is to know of the connection, and nothing of tasks. Its connection ends with it.
class onlooker final : private connection_listener {
public:
    // `settings` outlives it.
    onlooker(boost::asio::io_context& on, const store_settings& settings);
    ~onlooker();
    onlooker(const onlooker&) = delete;
    onlooker& operator=(const onlooker&) = delete;

    caller& calls() noexcept { return caller_; }
    const address& to() const noexcept { return to_; }
    const keys& of() const noexcept { return of_; }
    // The server that was connected to last, of those of a cluster; none for any other URL.
    std::optional<endpoint> server() const { return over_->server(); }

private:
    void up() override { caller_.up(); }
    void down(std::string_view cause) override { caller_.down(cause); }
    void message(std::string_view) override {}

    address to_;
    keys of_;
    caller caller_;
    std::shared_ptr<connection> over_;
};

}  // namespace errand::redis
