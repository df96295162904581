// How errand's loggers look: human text, or one JSON object a line with ERRAND_LOG_FORMAT=json.
#pragma once

#include <errand/config.hpp>

#include <spdlog/fwd.h>

#include <memory>
#include <string>
#include <string_view>

namespace spdlog::details {
struct log_msg;
}

namespace errand {

// The logger of an app: to the standard error stream, in the format and from the level that the configuration
// and the environment say.
std::shared_ptr<spdlog::logger> make_logger(const config& settings);

// The name under which a task's logger writes, so that every line has handler, id and attempt in it, and the namespace and the
// trace where they are given: the formatters take it apart again.
std::string stamp_of(std::string_view handler, std::string_view id, int attempt,
                     std::string_view name_space = {}, std::string_view trace_id = {});

// A line as it is kept with the task: time, level, text.
std::string kept_line(const spdlog::details::log_msg& line);

}  // namespace errand
