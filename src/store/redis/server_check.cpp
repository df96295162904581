#include "store/redis/server_check.hpp"

#include <algorithm>
#include <charconv>

namespace errand::redis {
namespace {

int leading_number(std::string_view text) {
    int value = -1;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

}  // namespace

std::string_view info_field(std::string_view info, std::string_view field) {
    while (!info.empty()) {
        auto line = info.substr(0, info.find('\n'));
        info.remove_prefix(line.size() < info.size() ? line.size() + 1 : info.size());
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line.starts_with(field) && line.substr(field.size()).starts_with(':')) {
            return line.substr(field.size() + 1);
        }
    }
    return {};
}

std::optional<std::string> check_version(std::string_view info) {
    const auto version = info_field(info, "redis_version");
    if (version.empty() || !info_field(info, "valkey_version").empty())
        return std::nullopt;  // Valkey began at 7.2
    const int major = leading_number(version);
    const auto dot = version.find('.');
    const int minor = dot == version.npos ? 0 : leading_number(version.substr(dot + 1));
    if (major > 6 || (major == 6 && minor >= 2)) return std::nullopt;
    return "it is Redis " + std::string{version} + ", and errand needs Redis 6.2 or newer, or Valkey";
}

std::optional<std::string> check_eviction(std::string_view info) {
    const auto limit = info_field(info, "maxmemory");
    const auto policy = info_field(info, "maxmemory_policy");
    if (limit.empty() || limit == "0" || policy.empty() || policy == "noeviction") return std::nullopt;
    return "its maxmemory-policy is " + std::string{policy} +
           ", so it would delete tasks when it is full; set maxmemory-policy noeviction";
}

std::optional<std::string> check_kind(std::string_view info, server_kind said) {
    const auto enabled = info_field(info, "cluster_enabled");
    const bool is_cluster = enabled == "1";
    if (said != server_kind::cluster && is_cluster) {
        return "it is a server of a cluster: write redis+cluster:// in place of redis:// in the store's URL, and "
               "name no database";
    }
    if (said == server_kind::cluster && !enabled.empty() && !is_cluster)
        return "it is no server of a cluster: write redis:// in place of redis+cluster:// in the store's URL";
    return std::nullopt;
}

int replicas_of(std::string_view info) {
    int there = 0;
    const int all = std::max(leading_number(info_field(info, "connected_slaves")), 0);
    for (int at = 0; at < all; ++at) {
        const auto one = info_field(info, "slave" + std::to_string(at));
        if (one.find("state=online") != one.npos) ++there;
    }
    return there;
}

namespace {

std::string many(int count) {
    return count == 0 ? "no replica" : std::to_string(count) + (count == 1 ? " replica" : " replicas");
}

}  // namespace

// Fewer replicas than there are protect against a server that dies, and not against one that goes on after another has taken its
// place: then the other one may have what was confirmed, and the one that took its place not.
std::optional<std::string> warn_of_replicas(std::string_view info, int wait, server_kind kind) {
    if (info_field(info, "role") != "master") return std::nullopt;
    const int there = replicas_of(info);
    if (wait == there && (wait > 0 || kind == server_kind::single)) return std::nullopt;
    const auto has = "a server of it has " + many(there);
    if (wait > there) {
        return has + ", and the URL asks for wait=" + std::to_string(wait) +
               ": no change counts before so many replicas are there";
    }
    if (wait > 0) {
        return has + ", and the URL asks for wait=" + std::to_string(wait) +
               ": a fail-over may lose accepted tasks; write wait=" + std::to_string(there);
    }
    if (kind == server_kind::single) return std::nullopt;
    if (there == 0) return has + ": when it is lost, its tasks are";
    return has +
           ", and the URL has no wait: a fail-over loses accepted tasks that no replica has yet; write ?wait=" +
           std::to_string(there);
}

std::optional<std::string> warn_of_node_timeout(std::string_view milliseconds,
                                                std::optional<duration> patience) {
    const duration timeout{leading_number(milliseconds)};
    if (!patience || timeout <= *patience / 2) return std::nullopt;
    return "its cluster-node-timeout of " + std::string{milliseconds} +
           " ms is more than half of store_timeout: calls fail before another server takes over; set a shorter one, or "
           "a longer store_timeout";
}

std::optional<std::string> refused_stamp(std::string_view error, unsigned shards_wanted) {
    constexpr std::string_view word = "STAMP ";
    if (!error.starts_with(word)) return std::nullopt;
    error.remove_prefix(word.size());
    const auto format = error.substr(0, error.find(' '));
    error.remove_prefix(std::min(format.size() + 1, error.size()));
    return check_stamp(format, error, shards_wanted);
}

std::optional<std::string> check_stamp(std::string_view format, std::string_view shards,
                                       unsigned shards_wanted) {
    const int there = leading_number(format);
    if (there < oldest_format || there > store_format) {
        const auto newer = there > store_format;
        return "its tasks are kept in format " + std::string{format} + ", and this errand " +
               (newer ? "knows only " : "no longer knows formats before ") +
               std::to_string(newer ? store_format : oldest_format) +
               (newer ? ": use a newer errand, or another namespace" : ": use another namespace");
    }
    if (leading_number(shards) != static_cast<int>(shards_wanted)) {
        return "its namespace was made with " + std::string{shards} + " shard(s), and " +
               std::to_string(shards_wanted) + " were asked for: the number cannot be changed afterwards";
    }
    return std::nullopt;
}

}  // namespace errand::redis
