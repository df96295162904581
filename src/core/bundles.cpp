#include "core/bundles.hpp"

#include <errand/detail/json_read.hpp>
#include <errand/error.hpp>

#include "core/digits.hpp"
#include "core/hex.hpp"
#include "core/json_elements.hpp"
#include "core/json_quote.hpp"
#include "core/sha256.hpp"

#include <algorithm>
#include <cstring>

namespace errand {
namespace {

constexpr std::size_t id_size = 16;
constexpr std::size_t front_size = 2 * id_size + 5 + 13 + 13 + 8;

std::string padded(std::int64_t value, std::size_t width) {
    auto digits = std::to_string(std::max<std::int64_t>(value, 0));
    return std::string(width - std::min(width, digits.size()), '0') + digits;
}

[[noreturn]] void refuse() { throw bad_data{"the stored report of a bundle does not decode"}; }

std::string text_in(std::string_view json) {
    const auto value = detail::parse_json(json, "bundle");
    if (!value.is_string()) refuse();
    return std::string{value.get_string()};
}

item_end read_item(std::string_view json) {
    const auto parts = json_elements(json);
    if (parts.empty()) refuse();
    const auto raw = from_hex(text_in(parts[0]));
    const auto id = raw ? task_id::from_bytes(*raw) : std::nullopt;
    if (!id) refuse();
    item_end one{.item = *id};
    if (parts.size() == 2) one.result = parts[1];
    if (parts.size() != 4) return one;
    one.failed = true;
    one.why = text_in(parts[2]);
    const auto delay = number_in(parts[3]);
    one.dead = delay < 0;
    one.delay = duration{std::max<std::int64_t>(delay, 0)};
    return one;
}

}  // namespace

std::string bundle_key_of(std::string_view handler_identity, std::string_view queue, std::string_view key) {
    const auto digest = sha256(with_length(handler_identity) + with_length(queue) + with_length(key));
    return {reinterpret_cast<const char*>(digest.data()), id_size};
}

std::uint16_t place_of_bundle(std::string_view handler_identity, std::string_view key) {
    return static_cast<std::uint16_t>(drawn_number(with_length(handler_identity) + with_length(key)));
}

std::string encode(const joining& one) {
    std::string text = one.key;
    text += one.carrier.view();
    text += padded(one.max_size, 5);
    text += padded(one.wait.count(), 13);
    text += padded(one.grace.count(), 13);
    text += padded(static_cast<std::int64_t>(one.bytes), 8);
    return text + one.carrier_body;
}

joining decode_joining(std::string_view bytes) {
    if (bytes.size() < front_size) throw bad_data{"the record of an item to be collected ends too early"};
    const auto number = [&](std::size_t at, std::size_t width) { return number_in(bytes.substr(at, width)); };
    joining one;
    one.key = bytes.substr(0, id_size);
    one.carrier = *task_id::from_bytes(bytes.substr(id_size, id_size));
    one.max_size = static_cast<int>(number(32, 5));
    one.wait = duration{number(37, 13)};
    one.grace = duration{number(50, 13)};
    one.bytes = static_cast<std::size_t>(number(63, 8));
    one.carrier_body = bytes.substr(front_size);
    return one;
}

std::int64_t due_of_bundle(const joining& by, std::int64_t begun, std::int64_t now) noexcept {
    return std::min(begun + by.wait.count(), now + by.grace.count());
}

std::string bundle_report(std::span<const item_end> ends) {
    const bool plain =
        std::ranges::all_of(ends, [](const item_end& one) { return !one.failed && one.result.empty(); });
    if (plain) return {};
    std::string text = "[";
    for (const auto& one : ends) {
        if (text.size() > 1) text += ',';
        text += "[\"" + to_hex(one.item.view()) + '"';
        if (one.failed) {
            text += ",null,\"";
            detail::append_escaped(text, one.why);
            text += "\"," + std::to_string(one.dead ? -1 : one.delay.count());
        } else if (!one.result.empty()) {
            text += ',' + one.result;
        }
        text += ']';
    }
    return text + ']';
}

std::vector<item_end> read_bundle_report(std::string_view text) {
    std::vector<item_end> ends;
    if (text.empty()) return ends;
    for (const auto item : json_elements(text)) ends.push_back(read_item(item));
    return ends;
}

std::string collected_again(duration delay, std::string_view encoded_notes) {
    return collects_again + padded(delay.count(), 13) + std::string{encoded_notes};
}

}  // namespace errand
