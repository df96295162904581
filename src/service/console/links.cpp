#include "service/console/links.hpp"

#include <errand/error.hpp>

#include "core/trace_context.hpp"
#include "service/target.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace errand::console {
namespace {

constexpr std::array<std::string_view, 4> names_in_links{"trace_id", "id", "handler", "queue"};

// The next name in brackets from `from` on: where its bracket opens and what it is; npos: there is none.
struct named_place {
    std::size_t at = std::string_view::npos;
    std::string_view name{};
};

named_place next_place(std::string_view pattern, std::size_t from) {
    const auto open = pattern.find('{', from);
    if (open == pattern.npos) return {};
    const auto close = pattern.find('}', open);
    // A bracket that is not closed is no name of any.
    if (close == pattern.npos) return {open, pattern.substr(open)};
    return {open, pattern.substr(open + 1, close - open - 1)};
}

std::size_t end_of(const named_place& one) { return one.at + one.name.size() + 2; }

// What a browser takes for a script is no address of the web.
bool is_web_address(std::string_view text) {
    if (!text.starts_with("https://") && !text.starts_with("http://")) return false;
    return std::ranges::none_of(text, [](char c) { return c <= ' ' || c == '\x7f'; });
}

void check_link(const char* member, const std::string& pattern) {
    if (pattern.empty()) return;
    if (!is_web_address(pattern))
        throw usage_error{std::string{"service_options .console."} + member + ": \"" + pattern +
                          "\" is no address that begins with https:// or http://"};
    for (auto one = next_place(pattern, 0); one.at != pattern.npos; one = next_place(pattern, end_of(one))) {
        if (std::ranges::find(names_in_links, one.name) != names_in_links.end()) continue;
        throw usage_error{std::string{"service_options .console."} + member + ": {" + std::string{one.name} +
                          "} means nothing; there are {trace_id}, {id}, {handler} and {queue}"};
    }
}

}  // namespace

void check_links(const console_options& given) {
    check_link("trace_url", given.trace_url);
    check_link("log_url", given.log_url);
}

std::optional<std::string> link_of(const std::string& pattern, const task_info& task) {
    if (pattern.empty()) return std::nullopt;
    std::string link;
    std::size_t from = 0;
    for (auto one = next_place(pattern, 0); one.at != pattern.npos; one = next_place(pattern, from)) {
        link += pattern.substr(from, one.at - from);
        if (one.name == "trace_id") {
            const auto trace = trace_in(task.headers);
            if (!trace) return std::nullopt;
            link += trace->trace_id;
        } else {
            const auto& value = one.name == "id" ? task.id : one.name == "queue" ? task.queue : task.handler;
            link += web::percent_encoded(value);
        }
        from = end_of(one);
    }
    return link + pattern.substr(from);
}

}  // namespace errand::console
