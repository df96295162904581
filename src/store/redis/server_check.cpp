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
    if (there != store_format) {
        const auto newer = there > store_format;
        return "its tasks are kept in format " + std::string{format} + ", and this errand " +
               (newer ? "knows only " : "no longer knows formats before ") + std::to_string(store_format) +
               (newer ? ": use a newer errand, or another namespace" : ": use another namespace");
    }
    if (leading_number(shards) != static_cast<int>(shards_wanted)) {
        return "its namespace was made with " + std::string{shards} + " shard(s), and " +
               std::to_string(shards_wanted) + " were asked for: the number cannot be changed afterwards";
    }
    return std::nullopt;
}

}  // namespace errand::redis
