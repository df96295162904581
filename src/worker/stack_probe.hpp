// Where another thread of this process is at the moment, told by itself: it is sent a signal, whose handler writes down who called whom.
//
// A signal ends some system calls early, which a program may not expect. So only a thread that computes is asked, or one in a call that
// the kernel takes up again by itself; of another one the name of its call has to do.
#pragma once

#include <string>
#include <sys/types.h>
#include <vector>

namespace errand {

// What the system says of a thread: the call that it is in, empty where it computes, and whether a signal would be noticed.
struct thread_state {
    std::string call{};
    bool may_be_asked = false;
};
// Of a line of /proc/self/task/N/syscall.
thread_state read_thread_state(const std::string& line);
// Nothing and false where the system does not tell.
thread_state state_of_thread(pid_t id);

// By what ERRAND_STACKS says, null where it is not set: on. Of what is said, on, true, yes and 1 leave it on; anything else turns it
// off, as who sets the variable has a reason, and on is the default.
bool stacks_are_wanted(const char* said) noexcept;

// Asks one thread, once. One probe at a time in a process: that of whoever comes second asks nobody.
class stack_probe {
public:
    explicit stack_probe(pid_t thread);
    ~stack_probe();
    stack_probe(const stack_probe&) = delete;
    stack_probe& operator=(const stack_probe&) = delete;

    // False: there is no answer to wait for.
    bool has_asked() const noexcept { return asked_; }
    // The addresses, innermost first; empty as long as the thread has not written them.
    std::vector<void*> answer() const;

    // At a worker's start: what the handler calls is loaded, and a signal found that nobody uses. Where ERRAND_STACKS turns it off
    // nothing of it is done. What the variable says then holds as long as the process lives.
    static void prepare();

private:
    bool asked_ = false;
};

}  // namespace errand
