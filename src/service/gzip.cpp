#include "service/gzip.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/zlib/deflate_stream.hpp>
#include <boost/crc.hpp>

#include <algorithm>
#include <cstdint>
#include <new>
#include <optional>
#include <string>
#include <string_view>

namespace errand::web {

namespace asio = boost::asio;
namespace zlib = boost::beast::zlib;

namespace {

// Smaller ones go in one packet as they are.
constexpr std::size_t least_compressed = 1400;
// A few milliseconds of work.
constexpr std::size_t slice = std::size_t{64} * 1024;
constexpr int fast = 1;
constexpr int window_bits = 15;
constexpr int memory_level = 8;
constexpr std::size_t most_added = 64;

std::string_view trimmed(std::string_view text) {
    const auto begin = text.find_first_not_of(" \t");
    if (begin == text.npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

// A weight in thousandths: "0.5" is 500. None is 1; of one that cannot be read nothing is known, so it counts as not wanted.
int weight_of(std::string_view parameters) {
    constexpr int whole = 1000;
    while (!parameters.empty()) {
        parameters.remove_prefix(1);  // ";"
        const auto one = trimmed(parameters.substr(0, parameters.find(';')));
        parameters.remove_prefix(std::min(parameters.find(';'), parameters.size()));
        const auto sign = std::min(one.find('='), one.size());
        if (!same_header_name(trimmed(one.substr(0, sign)), "q")) continue;
        const auto value = trimmed(one.substr(std::min(sign + 1, one.size())));
        if (value.empty() || value.size() > 5 || (value[0] != '0' && value[0] != '1')) return 0;
        if (value.size() > 1 && value[1] != '.') return 0;
        int weight = (value[0] - '0') * whole;
        for (std::size_t i = 2, unit = whole / 10; i < value.size(); ++i, unit /= 10) {
            if (value[i] < '0' || value[i] > '9') return 0;
            weight += (value[i] - '0') * static_cast<int>(unit);
        }
        return weight <= whole ? weight : 0;
    }
    return whole;
}

void add_number(std::string& to, std::uint32_t number) {
    for (int i = 0; i < 4; ++i, number >>= 8U) to.push_back(static_cast<char>(number & 0xFFU));
}

// Appends what the stream makes of these bytes.
void deflate(zlib::deflate_stream& with, std::string_view bytes, zlib::Flush flush, std::string& to) {
    zlib::z_params now;
    now.next_in = bytes.data();
    now.avail_in = bytes.size();
    boost::system::error_code ec;
    do {
        const auto before = to.size();
        to.resize(before + bytes.size() / 2 + most_added);
        now.next_out = to.data() + before;
        now.avail_out = to.size() - before;
        with.write(now, flush, ec);
        to.resize(to.size() - now.avail_out);
    } while (now.avail_out == 0 && ec != zlib::error::end_of_stream);
}

// In slices, between which others on this loop are served.
awaitable<std::string> gzipped(const std::string& text) {
    // RFC 1952: deflated, no name, no time, from any system.
    std::string out{"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff", 10};
    const auto executor = co_await asio::this_coro::executor;
    zlib::deflate_stream stream;
    stream.reset(fast, window_bits, memory_level, zlib::Strategy::normal);
    boost::crc_32_type sum;
    for (std::size_t at = 0; at < text.size(); at += slice) {
        if (at > 0) co_await asio::post(executor, asio::use_awaitable);
        const auto part = std::string_view{text}.substr(at, slice);
        sum.process_bytes(part.data(), part.size());
        deflate(stream, part, zlib::Flush::none, out);
    }
    deflate(stream, {}, zlib::Flush::finish, out);
    add_number(out, sum.checksum());
    add_number(out, static_cast<std::uint32_t>(text.size()));
    co_return out;
}

}  // namespace

bool reads_gzip(const request& from) {
    std::optional<int> gzip;
    std::optional<int> plain;
    int any = 0;
    // A header that comes twice is one list.
    for (const auto& header : from.headers) {
        if (!same_header_name(header.name, "Accept-Encoding")) continue;
        std::string_view rest = header.value;
        while (!rest.empty()) {
            const auto item = rest.substr(0, rest.find(','));
            rest.remove_prefix(std::min(item.size() + 1, rest.size()));
            const auto semicolon = std::min(item.find(';'), item.size());
            const auto name = trimmed(item.substr(0, semicolon));
            const auto weight = weight_of(item.substr(semicolon));
            if (same_header_name(name, "gzip") || same_header_name(name, "x-gzip")) gzip = weight;
            if (same_header_name(name, "identity")) plain = weight;
            if (name == "*") any = weight;
        }
    }
    const auto wanted = gzip.value_or(any);
    // As it is it comes to who has said that this is better.
    return wanted > 0 && wanted >= plain.value_or(0);
}

awaitable<void> compress(answer& what, const request& asked) {
    if (what.more || what.body.size() < least_compressed) co_return;
    try {
        // Also of one that goes as it is: who keeps it is not to give it to others.
        what.headers.push_back({"Vary", "Accept-Encoding"});
        if (!reads_gzip(asked)) co_return;
        auto headers = what.headers;
        headers.push_back({"Content-Encoding", "gzip"});
        auto body = co_await gzipped(what.body);
        if (body.size() >= what.body.size()) co_return;
        what.headers.swap(headers);
        what.body.swap(body);
    } catch (const std::bad_alloc&) {
        // Then as it is: tasks may travel in it.
    }
}

}  // namespace errand::web
