// Items that are run together: when a bundle is full or due, and what is said of its items. Pure.
//
// A bundle is a task, its carrier, on which its items wait. As long as the carrier is delayed the bundle is open; it is closed by
// what takes the carrier from there. The records are the same in every store; scripts look at the fixed front alone.
#pragma once

#include <errand/time.hpp>

#include "core/task_id.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace errand {

inline constexpr int most_items = 10'000;
inline constexpr std::size_t most_item_bytes = std::size_t{1} << 20;  // arguments of a bundle

// Handler, queue and key of those that are run together: 16 bytes of a hash.
std::string bundle_key_of(std::string_view handler_identity, std::string_view queue, std::string_view key);
// In the shard of that number modulo their count: the last two bytes of the ids of items without a biz_id.
std::uint16_t place_of_bundle(std::string_view handler_identity, std::string_view key);

// What a worker says of an item that it has claimed: it joins the open bundle of its key, or begins one with this carrier.
struct joining {
    std::string key{};
    task_id carrier{};
    int max_size = 0;
    duration wait{0};   // from the first item
    duration grace{0};  // from the last one
    std::size_t bytes = 0;
    std::string carrier_body{};
    friend bool operator==(const joining&, const joining&) = default;
};
// Front, fixed: [0..15] key, [16..31] carrier, then digits: 5 max_size, 13 wait, 13 grace, 8 bytes; the body behind them.
std::string encode(const joining& one);
joining decode_joining(std::string_view bytes);  // throws bad_data

// An open bundle, once an item has come into it.
constexpr bool is_full(const joining& by, std::size_t items, std::size_t bytes) noexcept {
    return items >= static_cast<std::size_t>(by.max_size) || bytes >= most_item_bytes;
}
// When it is due, ms.
std::int64_t due_of_bundle(const joining& by, std::int64_t begun, std::int64_t now) noexcept;

// ---- the end of a run ----

struct item_end {
    task_id item;
    std::string result{};  // JSON text; empty: none
    bool failed = false;
    std::string why{};  // of one that has failed
    bool dead = false;  // it has used up its retries
    duration delay{0};  // else: until it is collected again
    friend bool operator==(const item_end&, const item_end&) = default;
};
// As the result of the carrier: JSON text. Empty: all have succeeded, without results.
std::string bundle_report(std::span<const item_end> ends);
std::vector<item_end> read_bundle_report(std::string_view text);  // throws bad_data

// What `resolve` is to do with an item whose carrier has ended, in place of an outcome: begins with another letter than those.
inline constexpr char collects_again = 'R';  // 13 digits of ms, and its new notes
inline constexpr char at_once = 'A';         // it is ready
std::string collected_again(duration delay, std::string_view encoded_notes);

}  // namespace errand
