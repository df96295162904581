// Reading and writing the compact binary fields that errand's records are made of: big-endian fixed widths, LEB128
// numbers, strings with their length before them. A reader never reads past its end: it throws bad_data instead.
#pragma once

#include <errand/error.hpp>
#include <errand/time.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace errand {

class byte_writer {
public:
    explicit byte_writer(std::string& to) : to_{to} {}

    void u8(std::uint8_t value) { to_.push_back(static_cast<char>(value)); }

    void fixed(std::uint64_t value, int width) {
        std::array<char, 8> bytes;
        for (std::size_t at = bytes.size(); at > 0; --at, value >>= 8U)
            bytes[at - 1] = static_cast<char>(value & 0xffU);
        to_.append(bytes.data() + bytes.size() - width, static_cast<std::size_t>(width));
    }

    void number(std::uint64_t value) {
        for (; value >= 0x80; value >>= 7) u8(static_cast<std::uint8_t>(value | 0x80));
        u8(static_cast<std::uint8_t>(value));
    }

    // Small negative numbers stay small.
    void signed_number(std::int64_t value) {
        number((static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63));
    }

    // Says one bit more, by a byte that whoever does not look for it reads over.
    void marked_number(std::int64_t value, bool mark) {
        signed_number(value);
        if (!mark) return;
        to_.back() = static_cast<char>(to_.back() | 0x80);
        u8(0);
    }

    // Its milliseconds.
    void instant(time_point at) { signed_number(at.time_since_epoch().count()); }

    void real(double value) { fixed(std::bit_cast<std::uint64_t>(value), 8); }

    void text(std::string_view value) {
        number(value.size());
        to_.append(value);
    }

    void rest(std::string_view value) { to_.append(value); }

private:
    std::string& to_;
};

// A signed number by itself.
inline std::string packed_number(std::int64_t value) {
    std::string bytes;
    byte_writer{bytes}.signed_number(value);
    return bytes;
}

class byte_reader {
public:
    byte_reader(std::string_view from, std::string_view what) : left_{from}, what_{what} {}

    std::string_view take(std::uint64_t n) {
        if (n > left_.size()) fail("ends too early");
        const auto taken = left_.substr(0, static_cast<std::size_t>(n));
        left_.remove_prefix(taken.size());
        return taken;
    }

    std::uint8_t u8() { return static_cast<std::uint8_t>(take(1).front()); }

    std::uint64_t fixed(int width) {
        std::uint64_t value = 0;
        for (const char c : take(static_cast<std::uint64_t>(width)))
            value = value << 8 | static_cast<unsigned char>(c);
        return value;
    }

    std::uint64_t number() {
        std::uint64_t value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            const auto byte = u8();
            value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
            if ((byte & 0x80) == 0) return value;
        }
        fail("holds a number that is too long");
    }

    std::int64_t signed_number() {
        const auto raw = number();
        return static_cast<std::int64_t>(raw >> 1) ^ -static_cast<std::int64_t>(raw & 1);
    }

    std::int64_t marked_number(bool& mark) {
        const auto before = left_;
        const auto value = signed_number();
        const auto length = before.size() - left_.size();
        mark = length > 1 && before[length - 1] == 0;
        return value;
    }

    time_point instant() { return time_point{duration{signed_number()}}; }
    double real() { return std::bit_cast<double>(fixed(8)); }
    std::string_view text() { return take(number()); }
    bool at_end() const noexcept { return left_.empty(); }
    std::string_view rest() { return take(left_.size()); }

    [[noreturn]] void fail(std::string_view how) const {
        throw bad_data{"the stored " + std::string{what_} + " does not decode: it " + std::string{how}};
    }

private:
    std::string_view left_;
    std::string_view what_;
};

}  // namespace errand
