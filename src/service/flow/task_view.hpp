// A task as flows show it.
#pragma once

#include "core/record.hpp"
#include "service/exchange.hpp"
#include "service/flow/types.hpp"
#include "store/store.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace errand::flow {

// Headers in which a task carries what its creation has said.
inline constexpr std::string_view user_header = "flow-user";
inline constexpr std::string_view stage_header = "flow-stage";
inline constexpr std::string_view backoff_header = "flow-backoff";  // as backoff::text()
inline constexpr std::string_view trace_header = "traceparent";
// By which the tasks of a user are found: a tag.
std::string user_tag(std::string_view user);

// "pending", "processing", "success", "failed".
std::string_view status_of(state in) noexcept;

// A task with its records read. Its notes are those of its outcome, when it has ended by a report.
struct seen_task {
    found_task task;
    task_body body;
    task_notes notes;
    std::optional<task_outcome> outcome{};
};
// Nullopt: what is kept of it is over. Throws bad_data.
std::optional<seen_task> seen(found_task task);

std::string id_of(const seen_task& of);
std::string stage_of(const task_body& body, const task_notes& notes);
std::string header_of(const task_body& body, std::string_view name);
std::int64_t version_of(const seen_task& of) noexcept;
// JSON text: what was reported last, or what it was created with.
std::string content_of(const task_body& body, const task_notes& notes);

// What a look at a task is to show; empty: all of it.
using shown_fields = std::set<std::string, std::less<>>;
// "id,status" of a query, checked. Throws refusal (400).
shown_fields read_shown(std::string_view text);
shown_fields read_shown(const std::vector<std::string>& names, const std::string& path);

// `held`: as this service has it, when it was claimed here; may be null.
boost::json::object json_of(const detail::app_core& app, const seen_task& of, const web::attempt* held,
                            const shown_fields& shown);

}  // namespace errand::flow
