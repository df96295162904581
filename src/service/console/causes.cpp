#include "service/console/causes.hpp"

#include "core/utf8.hpp"
#include "service/instant.hpp"

#include <boost/json/object.hpp>

#include <algorithm>

namespace errand::console {
namespace {

constexpr std::size_t longest_cause = 240;
constexpr std::string_view left_out = "…";

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
bool is_hex(char c) noexcept { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_word(char c) noexcept { return is_digit(c) || is_letter(c) || c == '_'; }

// A word with a digit is a number, a version, a part of an id; so is a long one of hexadecimal digits.
// What joins such words goes with them: 0198c5d2-7c1e-…, 10.0.0.7:6379, 1,204.
bool joins(char c) noexcept { return c == '-' || c == '.' || c == ':' || c == ','; }

std::size_t end_of_word(std::string_view text, std::size_t at) {
    while (at < text.size() && is_word(text[at])) ++at;
    return at;
}

bool varies(std::string_view word) {
    constexpr std::size_t of_an_id = 8;
    return std::ranges::any_of(word, is_digit) ||
           (word.size() >= of_an_id && std::ranges::all_of(word, is_hex));
}

// Of an id: its parts of letters alone belong to it when they are hexadecimal.
bool may_go_on(std::string_view word) {
    return varies(word) || (word.size() >= 2 && std::ranges::all_of(word, is_hex));
}

std::string without_what_varies(std::string_view text) {
    std::string out;
    std::size_t at = 0;
    while (at < text.size() && out.size() < longest_cause) {
        if (!is_word(text[at])) {
            out += text[at++];
            continue;
        }
        auto end = end_of_word(text, at);
        if (!varies(text.substr(at, end - at))) {
            // "facade-0198…" goes on with a digit behind its dash: the word itself stays.
            out += text.substr(at, end - at);
            at = end;
            continue;
        }
        while (end + 1 < text.size() && joins(text[end])) {
            const auto next = end_of_word(text, end + 1);
            if (next == end + 1 || !may_go_on(text.substr(end + 1, next - end - 1))) break;
            end = next;
        }
        out += left_out;
        at = end;
    }
    return std::string{utf8_prefix(out, longest_cause)};
}

}  // namespace

std::string cause_of(const task_error& error) {
    auto text = without_what_varies(error.message);
    return error.type.empty() ? text : error.type + ": " + text;
}

std::string cause_of(const task_info& task) {
    return task.errors.empty() ? std::string{} : cause_of(task.errors.back());
}

void failure_groups::add(const task_info& task) {
    if (task.errors.empty()) return;
    const auto& error = task.errors.back();
    const auto cause = cause_of(error);
    auto at = std::ranges::find(all_, cause, &failure_group::cause);
    if (at == all_.end()) {
        all_.push_back({.cause = cause,
                        .type = error.type,
                        .sample = error.message,
                        .sample_id = task.id,
                        .first = error.at,
                        .last = error.at});
        at = all_.end() - 1;
    }
    ++at->count;
    at->first = std::min(at->first, error.at);
    at->last = std::max(at->last, error.at);
    if (std::ranges::find(at->handlers, task.handler) == at->handlers.end())
        at->handlers.push_back(task.handler);
}

boost::json::array failure_groups::document() const {
    auto sorted = all_;
    std::ranges::stable_sort(sorted, std::ranges::greater{}, &failure_group::count);
    boost::json::array out;
    for (const auto& one : sorted) {
        out.push_back(boost::json::object{
            {"cause", one.cause},
            {"type", one.type},
            {"sample", std::string{utf8_prefix(one.sample, 2000)}},
            {"sample_id", one.sample_id},
            {"handlers", boost::json::array(one.handlers.begin(), one.handlers.end())},
            {"count", one.count},
            {"first", instant_text(one.first)},
            {"last", instant_text(one.last)}});
    }
    return out;
}

}  // namespace errand::console
