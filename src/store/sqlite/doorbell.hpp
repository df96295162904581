// Where the thread of a file's engine sleeps: until its own process rings, or another process knocks.
//
// Whoever has committed what other processes may wait for knocks: it touches the file beside the database in which SQLite
// keeps what its processes share ("-shm"). That is there while anybody has the database open, who may write to the one may touch
// the other, and its times mean nothing to anybody. So nothing is made that a killed process could leave, nobody is looked
// for, and no name is too long. The kernel (inotify) tells all who listen, by whatever path or container they have the file.
// A lost knock costs time, never a task: the file is looked at now and then all the same.
#pragma once

#include <chrono>
#include <string>

namespace errand::sqlite {

class doorbell {
public:
    // Of a database that is open.
    explicit doorbell(const std::string& database);
    ~doorbell();
    doorbell(const doorbell&) = delete;
    doorbell& operator=(const doorbell&) = delete;

    // False where the kernel tells nothing, or has no room for another listener: then nobody is to sleep here.
    bool hears() const noexcept { return hears_; }
    // By any thread.
    void ring() noexcept;
    // Until somebody rings, or knocks if that matters; not longer than this.
    void sleep(std::chrono::nanoseconds longest, bool for_knocks);

private:
    bool take_knocks();

    int rings_;
    int knocks_;
    bool hears_ = false;
};

void knock_at(const std::string& database) noexcept;

}  // namespace errand::sqlite
