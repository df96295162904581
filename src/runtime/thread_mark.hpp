// Which threads are errand's own: there, waiting for a coroutine by blocking would wait for itself.
#pragma once

namespace errand {

inline bool& errand_runs_this_thread() noexcept {
    thread_local bool mark = false;
    return mark;
}

// Marks the thread for a scope.
class thread_mark {
public:
    thread_mark() noexcept : before_{errand_runs_this_thread()} { errand_runs_this_thread() = true; }
    ~thread_mark() { errand_runs_this_thread() = before_; }
    thread_mark(const thread_mark&) = delete;
    thread_mark& operator=(const thread_mark&) = delete;

private:
    bool before_;
};

}  // namespace errand
