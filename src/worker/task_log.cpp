#include "worker/task_log.hpp"

#include "core/record.hpp"
#include "runtime/logging.hpp"

#include <spdlog/details/log_msg.h>
#include <spdlog/sinks/base_sink.h>

#include <algorithm>
#include <deque>

namespace errand {

class kept_lines final : public spdlog::sinks::base_sink<std::mutex> {
public:
    void add_to(std::vector<std::string>& lines) {
        std::lock_guard lock{mutex_};
        lines.insert(lines.end(), lines_.begin(), lines_.end());
    }

private:
    void sink_it_(const spdlog::details::log_msg& line) override {
        if (lines_.size() == task_notes::max_log_lines) lines_.pop_front();
        lines_.push_back(kept_line(line));
    }
    void flush_() override {}

    std::deque<std::string> lines_;
};

task_log::task_log() = default;
task_log::~task_log() = default;

task_logger& task_log::of(const spdlog::logger& app, std::string_view handler, std::string_view id,
                          int attempt, std::string_view name_space, std::string_view trace_id) {
    std::call_once(built_, [&] {
        auto kept = std::make_shared<kept_lines>();
        auto sinks = app.sinks();
        sinks.push_back(kept);
        logger_ = std::make_unique<task_logger>(stamp_of(handler, id, attempt, name_space, trace_id),
                                                sinks.begin(), sinks.end());
        // What is kept with the task does not depend on how quiet the program's own output is.
        logger_->set_level(std::min(app.level(), spdlog::level::info));
        logger_->flush_on(app.flush_level());
        std::lock_guard lock{guard_};
        lines_ = std::move(kept);
    });
    return *logger_;
}

void task_log::warn(std::string_view shown, std::string_view kept) {
    auto sinks = logger_->sinks();
    const auto lines = std::ranges::find_if(sinks, [&](const auto& one) { return one == lines_; });
    if (lines != sinks.end()) {
        spdlog::logger{logger_->name(), *lines}.warn("{}", kept);
        sinks.erase(lines);
    }
    spdlog::logger others{logger_->name(), sinks.begin(), sinks.end()};
    others.flush_on(logger_->flush_level());
    others.warn("{}", shown);
}

void task_log::add_to(std::vector<std::string>& lines) const {
    std::shared_ptr<kept_lines> kept;
    {
        std::lock_guard lock{guard_};
        kept = lines_;
    }
    if (!kept) return;
    kept->add_to(lines);
    const auto over = lines.size() - std::min(lines.size(), task_notes::max_log_lines);
    lines.erase(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(over));
}

}  // namespace errand
