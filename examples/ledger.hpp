// A line for each start of a task, whatever becomes of it: how the examples' tests know what really ran. A
// worker that is killed has written its lines, because each is one append of its own.
#pragma once

#include <errand/errand.hpp>

#include <cerrno>
#include <fcntl.h>
#include <memory>
#include <string>
#include <system_error>
#include <unistd.h>

class ledger {
public:
    explicit ledger(const std::string& path)
        : file_{::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666)} {
        if (file_ < 0) throw std::system_error{errno, std::generic_category(), path};
    }
    ~ledger() { ::close(file_); }
    ledger(const ledger&) = delete;
    ledger& operator=(const ledger&) = delete;

    void started(const errand::task_context& task) const {
        const std::string line = task.id() + ' ' + std::to_string(task.attempt()) + ' ' +
                                 std::to_string(task.fence()) + ' ' + std::to_string(::getpid()) + '\n';
        // An attempt that cannot be counted must not run.
        if (::write(file_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
            throw std::system_error{errno, std::generic_category(), "the ledger cannot be written"};
        }
    }

private:
    int file_;
};

// From now on every attempt of this worker appends `id attempt fence pid` to the file; an empty path keeps
// none.
inline void keep_ledger(errand::app& app, const std::string& path) {
    if (path.empty()) return;
    app.around_perform([book = std::make_shared<ledger>(path)](
                           errand::task_context& task, errand::next_step next) -> errand::awaitable<void> {
        book->started(task);
        co_await next();
    });
}
