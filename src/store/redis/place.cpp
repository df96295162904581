#include "store/redis/place.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace errand::redis {

std::optional<endpoint> moved_to(std::string_view error) {
    constexpr std::string_view word = "MOVED ";
    const auto from = error.find(word);
    if (from == error.npos || (from > 0 && error[from - 1] != ' ' && error[from - 1] != '-'))
        return std::nullopt;
    error.remove_prefix(from + word.size());
    const auto slot_end = error.find(' ');
    if (slot_end == error.npos) return std::nullopt;
    error.remove_prefix(slot_end + 1);
    error = error.substr(0, error.find_first_of(" \r\n"));
    // An IPv6 address has colons of its own.
    const auto colon = error.rfind(':');
    if (colon == error.npos) return std::nullopt;
    endpoint to{std::string{error.substr(0, colon)}, std::string{error.substr(colon + 1)}};
    if (to.host == "?") to.host.clear();
    const bool is_port = !to.port.empty() && to.port != "0" &&
                         std::ranges::all_of(to.port, [](char c) { return c >= '0' && c <= '9'; });
    if (!is_port) return std::nullopt;
    return to;
}

void place::follow(endpoint to) {
    if (to.host.empty()) to.host = at_.host;
    if (to == at_)
        leave();
    else
        at_ = std::move(to);
}

void place::leave() {
    const auto from = at_;
    const auto all = seeds_.size() + learnt_.size();
    for (std::size_t tried = 0; tried < all && at_ == from; ++tried) {
        const auto at = next_++ % all;
        at_ = at < seeds_.size() ? seeds_[at] : learnt_[at - seeds_.size()];
    }
}

void place::learn(std::vector<endpoint> nodes) {
    std::erase_if(nodes,
                  [this](const endpoint& one) { return std::ranges::find(seeds_, one) != seeds_.end(); });
    learnt_ = std::move(nodes);
}

}  // namespace errand::redis
