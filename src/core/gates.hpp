// The gates that a task passes when it starts: one of each limit that holds for it, chosen by the task's key. Pure.
//
// They stand at the end of an encoded body (core/record.hpp): each of a fixed width, behind them their number in one byte. Scripts
// and SQLite read them there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace errand {

// What of its limit a gate holds to.
enum class gate_kind : char {
    both = 'b',
    running = 'm',  // how many run at once
    starts = 's',   // how many start in a time
};

// [0] kind, [1..8] the limit, [9..16] the key; zeros: of all keys.
inline constexpr std::size_t gate_width = 17;
inline constexpr std::size_t limit_number_width = 8;
inline constexpr std::size_t most_gates = 10;

// A limit by its name ("handler:<name>", "queue:<name>", "namespace", or as it is declared): 8 bytes of a hash.
std::string limit_number(std::string_view name);
// One gate's text. `key` empty: one for all.
std::string gate_of(gate_kind kind, std::string_view limit, std::string_view key);

// What stands at the end of this encoded body: gates one after the other, without their number; empty: it has none.
std::string_view gates_of(std::string_view encoded_body) noexcept;

// Whether among these gates is one of that kind and limit, of whatever key; `number`: limit_number().
bool has_gate(std::string_view gates, gate_kind kind, std::string_view number) noexcept;
// Those of `wanted`, and of `present` those whose kind and limit are not among them; no more than most_gates.
std::string joined_gates(std::string wanted, std::string_view present);

// Of one gate: it is of a key.
bool is_keyed(std::string_view gate) noexcept;

// Tasks with the same gates in the same queue wait as one group: 16 hexadecimal digits (of SHA-1, as Redis has it: of the
// queue's name, a line break and the gates).
std::string group_of(std::string_view queue, std::string_view gates);

}  // namespace errand
