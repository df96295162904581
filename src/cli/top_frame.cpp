#include "cli/top_frame.hpp"

#include "cli/text.hpp"
#include "cli/views.hpp"

#include <cstdio>

namespace errand::cli {
namespace {

std::string sums(const top_view& view) {
    std::size_t ready = 0;
    std::size_t running = 0;
    std::size_t slots = 0;
    double finished = 0;
    for (const auto& one : view.queues) {
        ready += one.count(state::ready);
        finished += one.finished_per_second;
    }
    for (const auto& one : view.workers) {
        running += one.running.size();
        slots += one.concurrency;
    }
    char rate[32];
    std::snprintf(rate, sizeof rate, "%.1f", finished);
    return std::to_string(view.workers.size()) + (view.workers.size() == 1 ? " worker, " : " workers, ") +
           std::to_string(running) + " of " + std::to_string(slots) + " slots busy, " +
           std::to_string(ready) + " ready, " + rate + " done/s";
}

std::string first_lines(const std::string& text, std::size_t lines) {
    std::size_t end = 0;
    for (; lines > 0; --lines) {
        const auto at = text.find('\n', end);
        if (at == text.npos) return text;
        end = at + 1;
    }
    return text.substr(0, end);
}

std::string line(const std::string& text, screen_size size) {
    return (size.width == 0 ? text : cut(text, size.width)) + '\n';
}

}  // namespace

std::string frame_text(const top_view& view, screen_size size) {
    auto out = line("errand " + plain(view.name_space) + "  " + instant_text(view.now), size);
    out += line(sums(view), size) + '\n';
    out += view.queues.empty() ? line("no queue has had a task yet", size)
                               : queue_table(view.queues, view.now).text(size.width);
    const auto running = running_table(view.workers, view.now);
    out += '\n' + (running.empty() ? line("nothing runs", size) : running.text(size.width));
    return size.height == 0 ? out : first_lines(out, size.height);
}

}  // namespace errand::cli
