// Identities and their text form.
#include "core/task_id.hpp"

#include <errand/error.hpp>

#include "core/hex.hpp"
#include "core/random.hpp"
#include "core/sha256.hpp"

#include <cstring>

namespace errand {
namespace {

void mark(task_id& id, unsigned char version) {
    id.bytes[6] = static_cast<unsigned char>((id.bytes[6] & 0x0f) | version << 4);
    id.bytes[8] = static_cast<unsigned char>((id.bytes[8] & 0x3f) | 0x80);
}

void put(task_id& id, std::size_t at, std::uint64_t value, int width) {
    for (int shift = (width - 1) * 8; shift >= 0; shift -= 8) {
        id.bytes[at++] = static_cast<unsigned char>(value >> shift);
    }
}

// One a thread, begun by chance: no lock, and whoever submits many does so to one shard for a while.
std::uint32_t next_place() {
    thread_local auto place = static_cast<std::uint32_t>(random_bits());
    return ++place;
}

task_id derived_from(std::string_view input) {
    const auto digest = sha256(input);
    task_id id;
    std::memcpy(id.bytes.data(), digest.data(), id.bytes.size());
    mark(id, 8);
    return id;
}

int digit_of(char c) noexcept {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

}  // namespace

std::optional<task_id> task_id::from_bytes(std::string_view raw) noexcept {
    task_id id;
    if (raw.size() != id.bytes.size()) return std::nullopt;
    std::memcpy(id.bytes.data(), raw.data(), raw.size());
    return id;
}

task_id new_task_id(std::int64_t now_ms) {
    task_id id;
    put(id, 0, static_cast<std::uint64_t>(now_ms), 6);
    if (const auto number = next_serial()) {
        put(id, 8, *number, 8);
    } else {
        const auto place = next_place();
        put(id, 6, random_bits(), 2);
        put(id, 8, random_bits(), 5);
        put(id, 13, place, 1);
        // Another run also after half a second: were its shard away, the next task would not wait for that one, too.
        put(id, 14, (place >> 8U) + static_cast<std::uint64_t>(now_ms / 500), 2);
    }
    mark(id, 7);
    return id;
}

static_assert(ids_in_a_row == 256);  // what byte 13 counts

task_id beside(task_id id, const task_id& other) noexcept {
    id.bytes[14] = other.bytes[14];
    id.bytes[15] = other.bytes[15];
    return id;
}

task_id derive_task_id(std::string_view identity, std::string_view biz_id) {
    return derived_from(with_length(identity) + with_length(biz_id));
}

task_id derive_child_id(const child_origin& of, std::uint64_t n) {
    return derived_from(with_length(of.parent.view()) + eight_bytes(of.life) + with_length(of.stage) +
                        with_length(of.identity) + with_length(of.args) + eight_bytes(n));
}

task_id derive_run_id(const task_id& schedule, std::int64_t tick_ms) {
    const auto id =
        derived_from(with_length(schedule.view()) + eight_bytes(static_cast<std::uint64_t>(tick_ms)));
    return beside(id, schedule);
}

task_id in_first_shard(task_id id) noexcept {
    id.bytes[14] = id.bytes[15] = 0;
    return id;
}

// lib_bundles.lua knows it, too.
constexpr unsigned char carrier_version = 5;

task_id derive_carrier_id(std::string_view bundle_key, const task_id& item, std::uint64_t claim) {
    auto id = derived_from(with_length(bundle_key) + with_length(item.view()) + eight_bytes(claim));
    mark(id, carrier_version);
    return beside(id, item);
}

bool is_carrier(const task_id& id) noexcept { return id.bytes[6] >> 4 == carrier_version; }

std::string to_text(const task_id& id) {
    std::string text;
    text.reserve(36);
    for (std::size_t at = 0; at < id.bytes.size(); ++at) {
        if (at == 4 || at == 6 || at == 8 || at == 10) text.push_back('-');
        append_hex(text, id.bytes[at]);
    }
    return text;
}

std::optional<task_id> parse_task_id(std::string_view text) noexcept {
    task_id id;
    std::size_t half = 0;
    for (const char c : text) {
        if (c == '-') continue;
        const int digit = digit_of(c);
        if (digit < 0 || half == 32) return std::nullopt;
        auto& byte = id.bytes[half / 2];
        byte = static_cast<unsigned char>(byte << 4 | digit);
        ++half;
    }
    if (half != 32) return std::nullopt;
    return id;
}

task_id required_task_id(std::string_view text, std::string_view where) {
    if (const auto id = parse_task_id(text)) return *id;
    throw usage_error{std::string{where} + '"' + std::string{text} + "\" is not a task's id"};
}

}  // namespace errand
