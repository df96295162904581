#include "core/sqlite_url.hpp"

namespace errand {

namespace {

constexpr std::string_view sqlite_scheme = "sqlite:";
constexpr std::string_view choice = "synchronous=";

std::string read_synchronous(std::string_view query, sqlite_url& to) {
    if (!query.starts_with(choice)) return "after ? only synchronous=full, normal or off is known";
    const auto value = query.substr(choice.size());
    if (value != "full" && value != "normal" && value != "off")
        return "synchronous is full, normal or off, not \"" + std::string{value} + '"';
    to.synchronous = value == "full" ? "FULL" : value == "normal" ? "NORMAL" : "OFF";
    return {};
}

}  // namespace

std::string read_sqlite_url(std::string_view url, sqlite_url& to) {
    if (!url.starts_with(sqlite_scheme)) return "it does not begin with sqlite:";
    auto rest = url.substr(sqlite_scheme.size());
    if (rest == ":memory:") return {};
    if (const auto question = rest.find('?'); question != rest.npos) {
        if (auto wrong = read_synchronous(rest.substr(question + 1), to); !wrong.empty()) return wrong;
        rest = rest.substr(0, question);
    }
    if (rest.starts_with("//")) {
        rest.remove_prefix(2);
        if (!rest.starts_with('/')) return "what stands after // is a server's name, and there is none";
    }
    if (rest.empty() || rest.ends_with('/')) return "it names no file";
    if (rest.find('\0') != rest.npos) return "a path has no zero byte";
    to.path = rest;
    return {};
}

}  // namespace errand
