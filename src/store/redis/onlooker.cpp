#include "store/redis/onlooker.hpp"

namespace errand::redis {
namespace {

boost::redis::request first_question(const keys& of) {
    auto ask = connection::request();
    // On a cluster a server that has not the shard says so to this.
    if (of.in_cluster())
        ask.push("EXISTS", of.control());
    else
        ask.push("PING");
    return ask;
}

}  // namespace

onlooker::onlooker(boost::asio::io_context& on, const store_settings& settings)
    : to_{parse_address(settings.url)},
      of_{settings.name_space, settings.shard, spread_over(to_, settings.shards)},
      caller_{settings, to_, of_} {
    connection_listener& self = *this;
    over_ = std::make_shared<connection>(on, to_, of_.channel("look"), of_.channel_of_all(),
                                         first_question(of_), self);
    caller_.use(over_);
    over_->start();
}

onlooker::~onlooker() { caller_.close(); }

}  // namespace errand::redis
