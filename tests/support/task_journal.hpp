// What the programs of the fault tests write down: each start of an attempt, and each end of one with the store's
// verdict, is a line `what id attempt fence pid when`, written at once, so that what a killed process has done stays known.
#pragma once

#include <errand/task_context.hpp>

#include "core/event.hpp"

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <unistd.h>

namespace errand::test {

class task_journal {
public:
    explicit task_journal(const std::string& path)
        : path_{path}, file_{::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666)} {}
    ~task_journal() { ::close(file_); }
    task_journal(const task_journal&) = delete;
    task_journal& operator=(const task_journal&) = delete;

    const std::string& path() const noexcept { return path_; }

    // From any thread: a line is one write.
    void add(const std::string& what, const std::string& task, int attempt = 0,
             std::uint64_t fence = 0) const {
        const auto since_boot = std::chrono::steady_clock::now().time_since_epoch();
        const auto when = std::chrono::floor<std::chrono::milliseconds>(since_boot).count();
        const auto line = what + ' ' + task + ' ' + std::to_string(attempt) + ' ' + std::to_string(fence) +
                          ' ' + std::to_string(::getpid()) + ' ' + std::to_string(when) + '\n';
        if (::write(file_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) std::abort();
    }
    void add(const std::string& what, const task_context& task) const {
        add(what, task.id(), task.attempt(), task.fence());
    }

    void hear(const event& what) {
        using enum event_kind;
        switch (what.kind) {
        case worker_started: add("up", "-"); break;
        case task_started: start(what.task); break;
        case task_succeeded: end(what, "success"); break;
        case task_retrying: end(what, "retry"); break;
        case task_given_back: end(what, "given_back"); break;
        case task_dead: end(what, "dead"); break;
        case task_snoozed: end(what, "snoozed"); break;
        case task_recovered: add("recovered", what.task, what.attempt); break;
        case report_accepted: settle(what.task, {}); break;
        case report_stale: settle(what.task, "refused"); break;
        // What it has done since is reported no more.
        case lease_lost:
        case task_cancelled: add("withdrawn", what.task); break;
        default: break;
        }
    }

private:
    struct verdict {
        std::string how;
        std::int64_t due_in = 0;  // ms
    };

    void start(const std::string& task) {
        std::lock_guard lock{guard_};
        started_.insert(task);
    }

    void end(const event& attempt, const char* how) {
        std::lock_guard lock{guard_};
        // What was given back unstarted is no attempt.
        const auto at = started_.find(attempt.task);
        if (at == started_.end()) return;
        started_.erase(at);
        unsettled_.emplace(attempt.task, verdict{how, attempt.after.count()});
    }

    // The end has come to the store, which has taken it, or another verdict stands.
    void settle(const std::string& task, const std::string& other) {
        std::lock_guard lock{guard_};
        const auto at = unsettled_.lower_bound(task);  // the oldest
        if (at == unsettled_.end() || at->first != task) return;
        if (other.empty())
            add(at->second.how, task, 0, static_cast<std::uint64_t>(at->second.due_in));
        else
            add(other, task);
        unsettled_.erase(at);
    }

    const std::string path_;
    int file_;
    std::mutex guard_;
    // One task may be there twice: this process lost it and has claimed it again before its first attempt ended.
    std::multiset<std::string> started_;
    std::multimap<std::string, verdict> unsettled_;
};

}  // namespace errand::test
