#include "store/redis/keys.hpp"

#include "core/hex.hpp"
#include "store/redis/slot.hpp"

#include <charconv>

namespace errand::redis {

std::string escaped(std::string_view name) {
    std::string text;
    text.reserve(name.size());
    for (const char c : name) {
        const auto byte = static_cast<unsigned char>(c);
        const bool plain = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
                           c == '_' || c == '.' || c == '-';
        if (plain) {
            text.push_back(c);
        } else {
            text.push_back('%');
            append_hex(text, byte, capital_hex_digits);
        }
    }
    return text;
}

std::string unescaped(std::string_view name) {
    std::string text;
    for (std::size_t at = 0; at < name.size(); ++at) {
        unsigned byte = 0;
        const auto* from = name.data() + at + 1;
        if (name[at] == '%' && at + 2 < name.size() &&
            std::from_chars(from, from + 2, byte, 16).ptr == from + 2) {
            text.push_back(static_cast<char>(byte));
            at += 2;
        } else {
            text.push_back(name[at]);
        }
    }
    return text;
}

namespace {

std::string tag_of(std::string_view name_space, unsigned shard, std::optional<unsigned> over) {
    auto name = escaped(name_space);
    return over ? spread_tag(name, shard, *over) : name + "." + std::to_string(shard);
}

}  // namespace

keys::keys(std::string_view name_space, unsigned shard, std::optional<unsigned> over)
    : prefix_{"errand:{" + tag_of(name_space, shard, over) + "}:"}, in_cluster_{over.has_value()} {
    static constexpr std::array<std::string_view, 18> parts{
        "tasks",     "notes",   "own",   "leases",  "claims",  "lanes", "watched", "stale",  "buried",
        "histories", "workers", "cards", "control", "waiting", "links", "outbox",  "stages", "counts"};
    for (std::size_t at = 0; at < parts.size(); ++at) shard_keys_[at] = prefix_ + std::string{parts[at]};
}

std::string_view keys::tag() const noexcept {
    const std::string_view all{prefix_};
    const auto from = all.find('{') + 1;
    return all.substr(from, all.rfind('}') - from);
}

std::span<const std::string> keys::of_queue(std::string_view queue) const {
    if (const auto known = queues_.find(queue); known != queues_.end()) return known->second;
    const auto name = escaped(queue);
    return queues_
        .emplace(queue,
                 std::array{prefix_ + "ready:" + name, prefix_ + "urgent:" + name, prefix_ + "due:" + name,
                            prefix_ + "idle:" + name, prefix_ + "expiry:" + name, prefix_ + "listed:" + name})
        .first->second;
}

std::string keys::history(std::string_view queue, duration retention) const {
    return history(escaped(queue) + ":" + std::to_string(retention.count()));
}

std::string keys::history(std::string_view member) const {
    return prefix_ + "history:" + std::string{member};
}

std::string keys::channel(std::string_view worker) const { return prefix_ + "wake:" + std::string{worker}; }

}  // namespace errand::redis
