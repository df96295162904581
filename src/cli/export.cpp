// Tasks of a list as lines of JSON, each of which can be imported again.
#include <errand/error.hpp>
#include <errand/proxy.hpp>

#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/session.hpp"
#include "cli/terminal.hpp"
#include "cli/text.hpp"
#include "client/export_tasks.hpp"

#include <boost/json/serialize.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <optional>
#include <system_error>

namespace errand::cli {
namespace {

constexpr std::size_t largest_page = 1000;

struct export_options {
    std::string state;
    filter_options filter;
    std::optional<std::size_t> limit;
    bool oldest_first = false;
    std::string output;
};

// Standard output, or a file that is not there yet.
class line_sink {
public:
    explicit line_sink(const std::string& path)
        : file_{path.empty() ? stdout : std::fopen(path.c_str(), "wbx")} {
        if (file_) return;
        const auto why = std::generic_category().message(errno);
        throw usage_error{"--output: " + path + " cannot be written: " + why};
    }
    ~line_sink() {
        if (file_ != stdout) std::fclose(file_);
    }
    line_sink(const line_sink&) = delete;
    line_sink& operator=(const line_sink&) = delete;

    void write(const std::string& text) {
        if (std::fwrite(text.data(), 1, text.size(), file_) == text.size() && std::fflush(file_) == 0) return;
        throw std::runtime_error{"the lines cannot be written: " + std::generic_category().message(errno)};
    }

private:
    std::FILE* file_;
};

struct export_counts {
    std::size_t written = 0;
    std::size_t unreadable = 0;
    bool interrupted = false;
};

export_counts write_all(session& on, const export_options& how, const task_filter& which, line_sink& to) {
    auto& core = detail::core_of(on.app());
    const auto order = how.oldest_first ? list_order::oldest_first : list_order::newest_first;
    const auto most = how.limit.value_or(static_cast<std::size_t>(-1));
    interruptible stopped;
    progress_bar bar{how.limit.value_or(0)};
    export_counts all;
    std::string next;
    do {
        const auto left = std::min(most - all.written, largest_page);
        auto page = on.run(export_tasks(core, which, next, left, order));
        std::string text;
        // Of working tasks a page may have some more.
        page.lines.resize(std::min(page.lines.size(), most - all.written));
        for (const auto& line : page.lines) text += boost::json::serialize(line) + '\n';
        to.write(text);
        all.written += page.lines.size();
        all.unreadable += page.unreadable;
        next = std::move(page.next);
        all.interrupted = stopped.asked();
        if (!how.output.empty()) bar.show(all.written, tasks_text(all.written));
    } while (!next.empty() && all.written < most && !all.interrupted);
    return all;
}

exit_code export_list(session& on, const export_options& how) {
    if (how.limit == std::size_t{0}) throw usage_error{"--limit: give at least 1"};
    const auto which = how.filter.in(need_state(how.state));
    line_sink to{how.output};
    const auto all = write_all(on, how, which, to);
    if (on.json() && !how.output.empty()) {
        print_document(boost::json::object{{"exported", all.written}, {"unreadable", all.unreadable}});
    } else if (!how.output.empty()) {
        print("exported " + tasks_text(all.written) + '\n');
    }
    if (all.interrupted) return exit_code::interrupted;
    const auto seen = on.seen();
    if (all.unreadable == 0) return seen;
    complain(tasks_text(all.unreadable) + (all.unreadable == 1 ? " was" : " were") +
             " left out: content is encrypted with keys that are not in ERRAND_ENCRYPTION_KEYS");
    return exit_code::undone;
}

}  // namespace

runner prepare_export(CLI::App& line) {
    const auto how = std::make_shared<export_options>();
    line.add_option("state", how->state, "Tasks in this state")->required()->type_name("STATE");
    declare_filter(line, how->filter);
    line.add_option("--limit", how->limit, "So many at most (all)")->type_name("N");
    line.add_flag("--oldest-first", how->oldest_first, "The oldest first, not the newest");
    line.add_option("--output", how->output, "A new file (standard output)")->type_name("FILE");
    return [how](session& on) { return export_list(on, *how); };
}

}  // namespace errand::cli
