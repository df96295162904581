#include "core/gates.hpp"

#include "core/record.hpp"
#include "core/sha1.hpp"
#include "core/sha256.hpp"

#include <algorithm>

namespace errand {
namespace {

constexpr std::size_t group_digits = 16;

std::string eight_of_hash(std::string_view text) {
    const auto digest = sha256(text);
    return {reinterpret_cast<const char*>(digest.data()), limit_number_width};
}

}  // namespace

std::string limit_number(std::string_view name) { return eight_of_hash(name); }

std::string gate_of(gate_kind kind, std::string_view limit, std::string_view key) {
    std::string gate(1, static_cast<char>(kind));
    gate += limit_number(limit);
    if (key.empty()) return gate.append(limit_number_width, '\0');
    auto number = eight_of_hash(key);
    // Zeros stand for all keys.
    if (std::ranges::all_of(number, [](char c) { return c == '\0'; })) number.back() = '\1';
    return gate += number;
}

std::string_view gates_of(std::string_view encoded_body) noexcept {
    constexpr std::size_t front = task_body::incarnation_offset + 8;
    if (encoded_body.size() <= front) return {};
    const auto priority = static_cast<unsigned char>(encoded_body[task_body::priority_offset]);
    if ((priority & task_body::gated_bit) == 0) return {};
    encoded_body.remove_prefix(front);
    const auto width = static_cast<unsigned char>(encoded_body.back()) * gate_width;
    encoded_body.remove_suffix(1);
    if (width > encoded_body.size()) return {};
    return encoded_body.substr(encoded_body.size() - width);
}

bool has_gate(std::string_view gates, gate_kind kind, std::string_view number) noexcept {
    for (; gates.size() >= gate_width; gates.remove_prefix(gate_width)) {
        if (gates.front() == static_cast<char>(kind) && gates.substr(1, limit_number_width) == number)
            return true;
    }
    return false;
}

std::string joined_gates(std::string wanted, std::string_view present) {
    for (; present.size() >= gate_width; present.remove_prefix(gate_width)) {
        const auto kind = static_cast<gate_kind>(present.front());
        const bool fits = wanted.size() < most_gates * gate_width;
        if (fits && !has_gate(wanted, kind, present.substr(1, limit_number_width)))
            wanted += present.substr(0, gate_width);
    }
    return wanted;
}

bool is_keyed(std::string_view gate) noexcept {
    return gate.size() == gate_width && gate.substr(gate_width / 2 + 1).find_first_not_of('\0') != gate.npos;
}

std::string group_of(std::string_view queue, std::string_view gates) {
    std::string text{queue};
    text += '\n';
    return sha1(text.append(gates)).substr(0, group_digits);
}

}  // namespace errand
