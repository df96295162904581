#include "service/gzip.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/zlib/deflate_stream.hpp>
#include <boost/crc.hpp>

#include <algorithm>
#include <cstdint>
#include <new>
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
constexpr int memory = 8;
constexpr std::size_t most_added = 64;

std::string_view trimmed(std::string_view text) {
    const auto begin = text.find_first_not_of(" \t");
    if (begin == text.npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

// "q=0", "q=0.0": what is named so is not wanted.
bool is_refused(std::string_view parameters) {
    auto at = parameters.find("q=");
    if (at == parameters.npos) at = parameters.find("Q=");
    if (at == parameters.npos) return false;
    const auto weight = trimmed(parameters.substr(at + 2));
    return !weight.empty() && weight.find_first_not_of("0.") == weight.npos;
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
    stream.reset(fast, window_bits, memory, zlib::Strategy::normal);
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
    const auto* header = from.find_header("Accept-Encoding");
    if (!header || from.count_headers("Accept-Encoding") > 1) return false;
    std::string_view rest = *header;
    bool any = false;
    while (!rest.empty()) {
        const auto item = rest.substr(0, rest.find(','));
        rest.remove_prefix(std::min(item.size() + 1, rest.size()));
        const auto semicolon = std::min(item.find(';'), item.size());
        const auto name = trimmed(item.substr(0, semicolon));
        const bool wanted = !is_refused(item.substr(semicolon));
        if (same_header_name(name, "gzip") || same_header_name(name, "x-gzip")) return wanted;
        if (name == "*") any = wanted;
    }
    return any;
}

awaitable<void> compress(answer& what, const request& asked) {
    if (what.more || what.body.size() < least_compressed || !reads_gzip(asked)) co_return;
    try {
        auto headers = what.headers;
        headers.push_back({"Content-Encoding", "gzip"});
        headers.push_back({"Vary", "Accept-Encoding"});
        auto body = co_await gzipped(what.body);
        what.headers.swap(headers);
        what.body.swap(body);
    } catch (const std::bad_alloc&) {
        // Then as it is: tasks may travel in it.
    }
}

}  // namespace errand::web
