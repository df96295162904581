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

namespace {

// Up to the next `mark`, which is taken off as well.
std::string_view cut_off(std::string_view& from, char mark) {
    const auto end = std::min(from.find(mark), from.size());
    const auto part = from.substr(0, end);
    from.remove_prefix(std::min(end + 1, from.size()));
    return part;
}

}  // namespace

// A line: id ip:port@bus-port[,name[,key=value]…] flags …
std::vector<endpoint> nodes_in(std::string_view text) {
    std::vector<endpoint> all;
    while (!text.empty()) {
        auto line = cut_off(text, '\n');
        cut_off(line, ' ');
        auto where = cut_off(line, ' ');
        const auto flags = cut_off(line, ' ');
        if (flags.find("noaddr") != flags.npos || flags.find("handshake") != flags.npos) continue;
        auto address = cut_off(where, ',');
        const auto name = cut_off(where, ',');
        address = cut_off(address, '@');
        const auto colon = address.rfind(':');
        if (colon == address.npos || address.substr(colon + 1) == "0") continue;
        const std::string port{address.substr(colon + 1)};
        if (colon > 0) all.push_back({std::string{address.substr(0, colon)}, port});
        if (!name.empty() && name.find('=') == name.npos) all.push_back({std::string{name}, port});
    }
    return all;
}

duration varied(duration length, double chance) {
    constexpr double least = 0.75, range = 0.5;
    return duration{
        static_cast<duration::rep>(static_cast<double>(length.count()) * (least + range * chance))};
}

// A server that is away has a successor after seconds, or none at all. Two that send on to each other are as if away after some tries.
duration pause_of_tries(unsigned tries, bool sent_on, double chance) {
    constexpr duration short_pause{20}, first_pause{80};
    constexpr unsigned few_tries = 8, longest_growth = 4;
    if (sent_on && tries < few_tries) return short_pause;
    return varied(first_pause * (1U << std::min(tries / 2, longest_growth)), chance);
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

std::vector<endpoint> place::known() const {
    auto all = seeds_;
    all.insert(all.end(), learnt_.begin(), learnt_.end());
    return all;
}

void place::learn(std::vector<endpoint> nodes) {
    std::erase_if(nodes,
                  [this](const endpoint& one) { return std::ranges::find(seeds_, one) != seeds_.end(); });
    learnt_ = std::move(nodes);
}

}  // namespace errand::redis
