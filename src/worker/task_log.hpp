// The logger of one attempt: built at its first use, writes where the app's does and keeps the newest lines.
#pragma once

#include <errand/task_context.hpp>

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace errand {

class kept_lines;

// Safe from any thread.
class task_log {
public:
    task_log();
    ~task_log();

    // `name_space`: empty where the worker serves but one; `trace_id`: where it is part of none.
    task_logger& of(const spdlog::logger& app, std::string_view handler, std::string_view id, int attempt,
                    std::string_view name_space, std::string_view trace_id);
    // Of errand itself, once of() has made the logger: `shown` where the app's does, `kept` with the task.
    void warn(std::string_view shown, std::string_view kept);
    // Adds what was logged so far to the lines of earlier attempts, the oldest leaving first.
    void add_to(std::vector<std::string>& lines) const;

private:
    std::once_flag built_;
    mutable std::mutex guard_;  // of lines_, until it is set
    std::shared_ptr<kept_lines> lines_;
    std::unique_ptr<task_logger> logger_;
};

}  // namespace errand
