#include "runtime/logging.hpp"

#include "core/iso_time.hpp"
#include "core/json_quote.hpp"
#include "core/utf8.hpp"

#include <spdlog/details/log_msg.h>
#include <spdlog/formatter.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/ansicolor_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

namespace errand {
namespace {

// No name may contain control characters, so this one separates the parts of a stamp.
constexpr char field_separator = '\x1f';

struct stamp {
    std::string_view handler, id, attempt, name_space, trace;
};

// Empty parts for a logger that is no task's.
stamp parts_of(std::string_view name) {
    const auto first = name.find(field_separator);
    if (first == std::string_view::npos) return {};
    const auto second = name.find(field_separator, first + 1);
    if (second == std::string_view::npos) return {};
    const auto third = std::min(name.find(field_separator, second + 1), name.size());
    const auto rest = name.substr(std::min(third + 1, name.size()));
    const auto fourth = std::min(rest.find(field_separator), rest.size());
    return {name.substr(0, first), name.substr(first + 1, second - first - 1),
            name.substr(second + 1, third - second - 1), rest.substr(0, fourth),
            rest.substr(std::min(fourth + 1, rest.size()))};
}

std::string_view text_of(spdlog::string_view_t text) { return {text.data(), text.size()}; }

// "2026-11-21T12:43:35.123Z"
std::string time_text(spdlog::log_clock::time_point at) {
    return iso_time_text(std::chrono::floor<duration>(at)) + 'Z';
}

void append(spdlog::memory_buf_t& out, std::string_view text) {
    out.append(text.data(), text.data() + text.size());
}

class human_formatter final : public spdlog::formatter {
public:
    void format(const spdlog::details::log_msg& line, spdlog::memory_buf_t& out) override {
        append(out, time_text(line.time));
        append(out, " ");
        line.color_range_start = out.size();
        const auto level = text_of(spdlog::level::to_string_view(line.level));
        append(out, level);
        line.color_range_end = out.size();
        append(out, std::string_view{"         "}.substr(0, level.size() < 8 ? 9 - level.size() : 1));
        const auto task = parts_of(text_of(line.logger_name));
        if (!task.id.empty()) {
            append(out, "[");
            append(out, task.name_space);
            if (!task.name_space.empty()) append(out, ": ");
            append(out, task.handler);
            append(out, " ");
            append(out, task.id);
            append(out, " #");
            append(out, task.attempt);
            if (!task.trace.empty()) append(out, " trace_id=");
            append(out, task.trace);
            append(out, "] ");
        }
        append(out, text_of(line.payload));
        append(out, "\n");
    }
    std::unique_ptr<spdlog::formatter> clone() const override { return std::make_unique<human_formatter>(); }
};

class json_formatter final : public spdlog::formatter {
public:
    void format(const spdlog::details::log_msg& line, spdlog::memory_buf_t& out) override {
        std::string json = "{\"time\":\"" + time_text(line.time) + "\",\"level\":\"";
        json += text_of(spdlog::level::to_string_view(line.level));
        json += '"';
        const auto task = parts_of(text_of(line.logger_name));
        if (!task.id.empty()) {
            add(json, "handler", task.handler);
            add(json, "task", task.id);
            json += ",\"attempt\":";
            json += task.attempt;
            if (!task.name_space.empty()) add(json, "namespace", task.name_space);
            if (!task.trace.empty()) add(json, "trace_id", task.trace);
        }
        add(json, "message", text_of(line.payload));
        json += "}\n";
        append(out, json);
    }
    std::unique_ptr<spdlog::formatter> clone() const override { return std::make_unique<json_formatter>(); }

private:
    static void add(std::string& json, std::string_view name, std::string_view value) {
        json += ",\"";
        json += name;
        json += "\":\"";
        detail::append_escaped(json, repaired_utf8(value));
        json += '"';
    }
};

bool wants_json() {
    const char* format = std::getenv("ERRAND_LOG_FORMAT");
    return format && std::string_view{format} == "json";
}

}  // namespace

std::shared_ptr<spdlog::logger> make_logger(const config& settings) {
    auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>();
    if (wants_json()) {
        sink->set_color_mode(spdlog::color_mode::never);
        sink->set_formatter(std::make_unique<json_formatter>());
    } else {
        sink->set_formatter(std::make_unique<human_formatter>());
    }
    // On the sink as well: a task's logger lets more through, for the lines kept with the task.
    const auto level = spdlog::level::from_str(settings.log_level);
    sink->set_level(level);
    auto logger = std::make_shared<spdlog::logger>("errand", std::move(sink));
    logger->set_level(level);
    logger->flush_on(spdlog::level::warn);
    return logger;
}

std::string stamp_of(std::string_view handler, std::string_view id, int attempt, std::string_view name_space,
                     std::string_view trace_id) {
    std::string name{handler};
    name += field_separator;
    name += id;
    name += field_separator;
    name += std::to_string(attempt);
    if (!name_space.empty() || !trace_id.empty()) {
        name += field_separator;
        name += name_space;
    }
    if (!trace_id.empty()) {
        name += field_separator;
        name += trace_id;
    }
    return name;
}

std::string kept_line(const spdlog::details::log_msg& line) {
    constexpr std::size_t longest = 1000;
    std::string text = time_text(line.time) + ' ';
    text += text_of(spdlog::level::to_string_view(line.level));
    text += ' ';
    text += repaired_utf8(utf8_prefix(text_of(line.payload), longest));
    return text;
}

}  // namespace errand
