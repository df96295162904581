#include "store/sqlite/doorbell.hpp"

#include <fcntl.h>
#include <sys/stat.h>

namespace errand::sqlite {
namespace {

std::string door_of(const std::string& database) { return database + "-shm"; }

}  // namespace

void knock_at(const std::string& database) noexcept try {
    // Now; errors are those of a file that nobody has open, or of a system that lets nobody knock.
    [[maybe_unused]] const int done = ::utimensat(AT_FDCWD, door_of(database).c_str(), nullptr, 0);
} catch (...) {
    // No memory for a name: what it was about is found by a look.
}

}  // namespace errand::sqlite

#ifdef __linux__

#include <array>
#include <cstdint>
#include <ctime>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>
#include <utility>

namespace errand::sqlite {
namespace {

void close_if_open(int file) {
    if (file >= 0) ::close(file);
}

}  // namespace

doorbell::doorbell(const std::string& database)
    : rings_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)}, knocks_{::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)} {
    if (rings_ < 0 || knocks_ < 0) return;
    if (::inotify_add_watch(knocks_, door_of(database).c_str(), IN_ATTRIB) < 0) return;
    // There are file systems that never tell: only one's own knock shows it.
    hears_ = true;
    knock_at(database);
    if (!take_knocks()) hears_ = false;
    if (!hears_) close_if_open(std::exchange(knocks_, -1));
}

doorbell::~doorbell() {
    close_if_open(rings_);
    close_if_open(knocks_);
}

void doorbell::ring() noexcept {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(rings_, &one, sizeof one);
}

void doorbell::sleep(std::chrono::nanoseconds longest, bool for_knocks) {
    const auto whole = std::chrono::floor<std::chrono::seconds>(longest);
    const timespec end{static_cast<time_t>(whole.count()), static_cast<long>((longest - whole).count())};
    std::array<pollfd, 2> told{pollfd{rings_, POLLIN, 0}, pollfd{for_knocks ? knocks_ : -1, POLLIN, 0}};
    ::ppoll(told.data(), told.size(), &end, nullptr);
    if (told[0].revents != 0) {
        std::uint64_t count = 0;
        [[maybe_unused]] const auto got = ::read(rings_, &count, sizeof count);
    }
    if (told[1].revents != 0) take_knocks();
}

// Whether there were any.
bool doorbell::take_knocks() {
    bool any = false;
    alignas(inotify_event) std::array<char, 4096> events;
    for (;;) {
        const auto got = ::read(knocks_, events.data(), events.size());
        if (got <= 0) return any;
        any = true;
        for (auto at = std::size_t{0}; at < static_cast<std::size_t>(got);) {
            const auto* one = reinterpret_cast<const inotify_event*>(events.data() + at);
            // The file is gone, or its file system: nothing is told any more.
            if ((one->mask & IN_IGNORED) != 0) hears_ = false;
            at += sizeof(inotify_event) + one->len;
        }
    }
}

}  // namespace errand::sqlite

#else

namespace errand::sqlite {

doorbell::doorbell(const std::string&) : rings_{-1}, knocks_{-1} {}
doorbell::~doorbell() = default;
void doorbell::ring() noexcept {}
void doorbell::sleep(std::chrono::nanoseconds, bool) {}
bool doorbell::take_knocks() { return false; }

}  // namespace errand::sqlite

#endif
