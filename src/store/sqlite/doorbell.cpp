#include "store/sqlite/doorbell.hpp"

#include <array>
#include <cstdint>
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

namespace errand::sqlite {
namespace {

std::string door_of(const std::string& database) { return database + "-shm"; }

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
}

doorbell::~doorbell() {
    close_if_open(rings_);
    close_if_open(knocks_);
}

void doorbell::ring() noexcept {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(rings_, &one, sizeof one);
}

void doorbell::sleep(std::chrono::milliseconds longest, bool for_knocks) {
    std::array<pollfd, 2> told{pollfd{rings_, POLLIN, 0}, pollfd{for_knocks ? knocks_ : -1, POLLIN, 0}};
    ::poll(told.data(), told.size(), static_cast<int>(longest.count()));
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

void knock_at(const std::string& database) noexcept {
    // Now; errors are those of a file that nobody has open, or of a system that lets nobody knock.
    [[maybe_unused]] const int done = ::utimensat(AT_FDCWD, door_of(database).c_str(), nullptr, 0);
}

}  // namespace errand::sqlite
