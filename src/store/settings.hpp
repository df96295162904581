// What a store object is opened with.
#pragma once

#include <errand/time.hpp>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace errand {

struct store_settings {
    std::string url;
    std::string name_space = "default";
    std::string name;     // see store::name()
    unsigned shard = 0;   // of a store that keeps one shard: which
    unsigned shards = 1;  // of the namespace
    std::optional<duration> patience{
        10'000};  // how long a call is repeated before store_error; nullopt: for ever
    std::function<void(std::string_view)>
        trouble;  // told in words when the connection is lost, refused, back
};

}  // namespace errand
