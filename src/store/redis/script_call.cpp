#include "store/redis/script_call.hpp"

#include <algorithm>
#include <charconv>

namespace errand::redis {

namespace {

// An argument that is written in three pieces: Boost.Redis's own way takes a string for the length and five.
struct bulk {
    std::string_view text;
    bulk(std::string_view one) : text{one} {}
};

void boost_redis_to_bulk(std::string& to, const bulk& one) {
    std::array<char, 24> front{'$'};
    auto* end = std::to_chars(front.data() + 1, front.data() + front.size() - 2, one.text.size()).ptr;
    *end++ = '\r';
    *end++ = '\n';
    to.append(front.data(), static_cast<std::size_t>(end - front.data()));
    to.append(one.text);
    to.append("\r\n", 2);
}

}  // namespace

script_call::script_call(script_name name, const keys& all)
    : script_{&script_of(name, all.in_cluster())}, all_{&all} {
    const auto fixed = all.shard_keys();
    keys_.reserve(fixed.size() + 6);
    keys_.assign(fixed.begin(), fixed.end());
}

script_call::script_call(script_name name, std::span<const std::string_view> only, bool in_cluster)
    : script_{&script_of(name, in_cluster)}, keys_{only.begin(), only.end()} {}

std::size_t script_call::queue(std::string_view name) {
    const auto known = std::ranges::find(queues_, name);
    const auto position = static_cast<std::size_t>(known - queues_.begin()) + 1;
    if (known == queues_.end()) {
        queues_.push_back(kept(name));
        for (const auto& part : all_->of_queue(name)) keys_.push_back(part);
    }
    return position;
}

std::size_t script_call::key(std::string name) {
    const auto known = std::ranges::find(extra_, name);
    const auto position = keys_.size() + static_cast<std::size_t>(known - extra_.begin()) + 1;
    if (known == extra_.end()) extra_.push_back(kept(name));
    return position;
}

void script_call::write_to(boost::redis::request& to, bool with_text) const {
    const auto count = std::to_string(keys_.size() + extra_.size());
    std::vector<bulk> all;
    all.reserve(1 + keys_.size() + extra_.size() + args_.size());
    all.emplace_back(count);
    all.insert(all.end(), keys_.begin(), keys_.end());
    all.insert(all.end(), extra_.begin(), extra_.end());
    all.insert(all.end(), args_.begin(), args_.end());
    std::size_t bytes = 64;
    for (const auto& one : all) bytes += one.text.size() + 16;  // with the length before it
    to.clear();
    to.reserve(bytes);
    to.push_range(with_text ? "EVAL" : "EVALSHA", with_text ? script_->text : script_->sha, all);
}

}  // namespace errand::redis
