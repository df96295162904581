#include "core/import_lines.hpp"

#include <errand/detail/json_read.hpp>
#include <errand/error.hpp>

#include "core/json_quote.hpp"
#include "core/utf8.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace errand {

namespace json = boost::json;

namespace {

using detail::quoted_extract;

constexpr std::array<std::string_view, 6> text_members{
    "handler", "queue", "biz_id", "at", "on_failed_dependency", "on_duplicate"};
constexpr std::array<std::string_view, 11> other_members{
    "args",         "delay_ms", "priority",      "timeout_ms", "max_retry", "expires_after_ms",
    "retention_ms", "after",    "after_biz_ids", "headers",    "tags"};

bool is_among(std::string_view name, const auto& names) {
    return std::ranges::find(names, name) != names.end();
}
bool is_text_member(std::string_view name) { return is_among(name, text_members); }
bool is_member(std::string_view name) { return is_text_member(name) || is_among(name, other_members); }

void check_utf8(std::string_view text) {
    const auto bad = first_invalid_utf8(text);
    if (bad == text.size()) return;
    throw bad_data{"byte " + std::to_string(bad + 1) +
                   " of the line is no UTF-8: convert the file, as with iconv -f LATIN1 -t UTF-8"};
}

// A number stands for its text.
std::string text_of(const json::value& value, const std::string& name) {
    if (value.is_string()) return std::string{value.get_string()};
    if (value.is_int64() || value.is_uint64()) return json::serialize(value);
    throw bad_data{"the member " + quoted_extract(name) + " is to be a text"};
}

// Of a line that has arguments: there stands what a line without them has as its members.
const json::value* in_only_argument(const json::object& task, const std::string& name) {
    const auto* args = task.if_contains("args");
    const auto* all = args ? args->if_array() : nullptr;
    const auto* only = all && all->size() == 1 ? all->front().if_object() : nullptr;
    return only ? only->if_contains(name) : nullptr;
}

// The member that this one takes its value from, when the caller says that it has another name.
void take_named(json::object& task, std::string_view member, const std::string& from) {
    if (from == member) return;
    const auto* value = task.if_contains(from);
    if (!value) value = in_only_argument(task, from);
    if (!value || value->is_null() || (value->is_string() && value->get_string().empty()))
        throw bad_data{"it has no " + quoted_extract(from) + ", which is to be its " + std::string{member}};
    auto text = text_of(*value, from);
    // Beside arguments it would be an unknown member.
    if (task.contains("args") && !is_member(from)) task.erase(from);
    task[member] = std::move(text);
}

// All that is no member of a submission becomes the one argument.
void gather_args(json::object& task) {
    if (task.contains("args")) return;
    json::object rest;
    json::object known;
    for (auto& [name, value] : task) (is_member(name) ? known : rest)[name] = std::move(value);
    if (!rest.empty()) known["args"] = json::array{std::move(rest)};
    task = std::move(known);
}

json::object completed(json::object task, const import_rules& rules) {
    take_named(task, "biz_id", rules.biz_id);
    take_named(task, "at", rules.at);
    gather_args(task);
    const auto* handler = task.if_contains("handler");
    if (!handler || handler->is_null()) {
        if (rules.handler.empty())
            throw bad_data{
                "it names no handler: give it a member \"handler\", or say --handler for all lines"};
        task["handler"] = rules.handler;
    }
    const auto* queue = task.if_contains("queue");
    if ((!queue || queue->is_null()) && !rules.queue.empty()) task["queue"] = rules.queue;
    return task;
}

}  // namespace

json::object task_of_json(std::string_view line, const import_rules& rules) {
    check_utf8(line);
    auto value = detail::parse_json(line, "the line");
    auto* task = value.if_object();
    if (!task) throw bad_data{"the line is no JSON object"};
    task->erase(exported_from);
    return completed(std::move(*task), rules);
}

csv_columns::csv_columns(std::vector<std::string> header, const import_rules& rules) : rules_{rules} {
    std::set<std::string> seen;
    for (auto& name : header) {
        if (first_invalid_utf8(name) != name.size())
            throw usage_error{
                "the header of the file is no UTF-8: convert it, as with iconv -f LATIN1 -t UTF-8"};
        column one{.name = std::move(name)};
        if (one.name.ends_with(":json")) {
            one.json = true;
            one.name.resize(one.name.size() - std::string_view{":json"}.size());
        }
        if (one.name.empty())
            throw usage_error{"a column of the file has no name: the first line names them all"};
        if (!seen.insert(one.name).second)
            throw usage_error{"two columns of the file are named " + quoted_extract(one.name)};
        one.member = is_member(one.name);
        if (one.member && !is_text_member(one.name)) one.json = true;
        columns_.push_back(std::move(one));
    }
    for (const auto& [member, named] : {std::pair{"biz_id", &rules.biz_id}, std::pair{"at", &rules.at}}) {
        if (*named == member || seen.contains(*named)) continue;
        throw usage_error{"the file has no column " + quoted_extract(*named) + ", which is to be the " +
                          member};
    }
}

json::object csv_columns::task_of(const std::vector<std::string>& cells) const {
    if (cells.size() != columns_.size()) {
        throw bad_data{"it has " + std::to_string(cells.size()) + " fields, and the header has " +
                       std::to_string(columns_.size()) + ": put fields with commas or line breaks in quotes"};
    }
    json::object task;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const auto& [name, is_json, member] = columns_[i];
        check_utf8(cells[i]);
        if (cells[i].empty() && member) continue;
        if (!is_json) {
            task[name] = cells[i];
        } else if (cells[i].empty()) {
            task[name] = nullptr;
        } else {
            task[name] = detail::parse_json(cells[i], name);
        }
    }
    return completed(std::move(task), rules_);
}

}  // namespace errand
