// One call of a script: its keys and arguments, in the order in which they will be sent.
//
// Texts are borrowed until the request is made; numbers are kept here. A call can be made into a request again after
// more queues were named, and any number of times: a repeat is the same call.
#pragma once

#include "store/redis/keys.hpp"
#include "store/redis/script_set.hpp"

#include <boost/redis/request.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <memory_resource>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace errand::redis {

class script_call {
public:
    // With the shard's keys in front.
    script_call(script_name name, const keys& all);
    // With these keys and no others. `in_cluster`: as script_of() takes it.
    script_call(script_name name, std::span<const std::string_view> only, bool in_cluster = false);

    // The queue's position among the keys, from 1; adds its keys when they are not there yet.
    std::size_t queue(std::string_view name);
    // Another key, after those of all queues. Returns its position among KEYS, as Lua counts, while no queue follows.
    std::size_t key(std::string name);

    void arg(std::string_view text) { args_.push_back(text); }
    void own_arg(std::string_view text) { args_.push_back(kept(text)); }
    template <std::integral Number>
    void arg(Number number) {
        own_arg(std::to_string(number));
    }

    // How many there are so far.
    std::size_t arguments() const noexcept { return args_.size(); }
    // In place of one that is there, counted from 0.
    void set_arg(std::size_t at, std::size_t number) { args_.at(at) = kept(std::to_string(number)); }

    const script& what() const noexcept { return *script_; }
    // By its digest, or with its text for a Redis that does not hold the script.
    void write_to(boost::redis::request& to, bool with_text) const;

private:
    // A copy that lives as long as the call.
    std::string_view kept(std::string_view text) {
        if (text.empty()) return {};
        char* copy = static_cast<char*>(memory_.allocate(text.size(), 1));
        std::memcpy(copy, text.data(), text.size());
        return {copy, text.size()};
    }

    const script* script_;
    const keys* all_ = nullptr;
    std::vector<std::string_view> queues_;
    std::vector<std::string_view> keys_;   // the shard's and the queues'
    std::vector<std::string_view> extra_;  // after them
    std::vector<std::string_view> args_;
    std::array<std::byte, 512> buffer_;
    std::pmr::monotonic_buffer_resource memory_{buffer_.data(), buffer_.size()};
};

}  // namespace errand::redis
