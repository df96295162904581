#include "service/message.hpp"

#include <algorithm>

namespace errand::web {
namespace {

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

bool same_header_name(std::string_view a, std::string_view b) noexcept {
    return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

const std::string* request::find_header(std::string_view name) const noexcept {
    for (const auto& one : headers) {
        if (same_header_name(one.name, name)) return &one.value;
    }
    return nullptr;
}

bool request::may_use_queue(std::string_view queue) const noexcept {
    return only_queues.empty() || std::ranges::find(only_queues, queue) != only_queues.end();
}

std::size_t request::count_headers(std::string_view name) const noexcept {
    return static_cast<std::size_t>(std::ranges::count_if(headers, [&](const header& one) {
        return same_header_name(one.name, name);
    }));
}

std::string_view reason_of(int status) noexcept {
    switch (status) {
    case 200: return "OK";
    case 201: return "Created";
    case 202: return "Accepted";
    case 204: return "No Content";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 413: return "Content Too Large";
    case 415: return "Unsupported Media Type";
    case 422: return "Unprocessable Content";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 501: return "Not Implemented";
    case 503: return "Service Unavailable";
    case 505: return "HTTP Version Not Supported";
    default: return "Unknown";
    }
}

std::string written(const answer& what, const request& to, bool keep_alive) {
    std::string text = "HTTP/1.1 " + std::to_string(what.status) + ' ';
    text += reason_of(what.status);
    const bool endless = static_cast<bool>(what.more);
    const bool says_cache = std::ranges::any_of(what.headers, [](const header& one) {
        return same_header_name(one.name, "Cache-Control");
    });
    text += "\r\nServer: errand\r\nX-Request-ID: " + to.id + "\r\n";
    for (const auto& one : what.headers) text += one.name + ": " + one.value + "\r\n";
    if (what.status != 204) text += "Content-Type: " + what.type + "\r\n";
    if (what.status != 204 && !endless)
        text += "Content-Length: " + std::to_string(what.body.size()) + "\r\n";
    // No browser is to keep, guess at or pass on what it got from here, unless that is the same for ever.
    if (!says_cache) text += "Cache-Control: no-store\r\n";
    text += "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n";
    text += keep_alive && !endless ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n";
    if (to.method != "HEAD" && what.status != 204) text += what.body;
    return text;
}

}  // namespace errand::web
