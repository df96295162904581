// How answers leave the program: text or one JSON document on standard output, sentences on the error stream.
#pragma once

#include <errand/graph.hpp>
#include <errand/inspect.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace errand::cli {

void print(std::string_view text);
void print_document(const boost::json::value& document);
// "errand: …" on the error stream.
void complain(const std::string& sentence);

// The shapes of docs/cli.md: times are RFC 3339, lengths of time milliseconds, what is not known is null.
boost::json::value json_of(const std::optional<time_point>& at);
boost::json::value json_of(const std::optional<duration>& length);
boost::json::object json_of(const task_info& task);
boost::json::object json_of(const queue_info& queue);
boost::json::object json_of(const worker_info& worker, time_point now);
boost::json::object json_of(const day_info& day);
boost::json::object json_of(const task_graph& graph);

// The clock of this machine, which is near enough to the store's for "3m ago".
time_point clock_now();

// "3m ago", "in 5m".
std::string from_now(time_point at, time_point now);

}  // namespace errand::cli
