#include "store/redis/slot_subscription.hpp"

#include <string>

namespace errand::redis {
namespace {

struct slot_channel {
    std::string_view name;
};

// The library waits for an answer to SSUBSCRIBE, which has none, and would take all later ones for that of the command before. So
// it is given SUBSCRIBE, of which it knows, and the word is changed when the first channel is written behind it.
void boost_redis_to_bulk(std::string& to, const slot_channel& one) {
    constexpr std::string_view plain = "$9\r\nSUBSCRIBE\r\n", of_slot = "$10\r\nSSUBSCRIBE\r\n";
    if (to.ends_with(plain)) to.replace(to.size() - plain.size(), plain.size(), of_slot);
    to.append("$").append(std::to_string(one.name.size())).append("\r\n").append(one.name).append("\r\n");
}

}  // namespace

void push_slot_subscription(boost::redis::request& to, std::string_view first, std::string_view last) {
    to.push("SUBSCRIBE", slot_channel{first}, slot_channel{last});
}

}  // namespace errand::redis
