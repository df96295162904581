// Between fork() and exec(): the child keeps the standard streams alone. A socket that it held would stay open when the test
// closes it, and who is at its other end would not notice.
#pragma once

#include <fcntl.h>
#include <unistd.h>

namespace errand::test {

inline void inherit_streams_only() {
    constexpr int first = STDERR_FILENO + 1;
    if (::close_range(first, ~0U, 1U << 2 /* CLOSE_RANGE_CLOEXEC */) == 0) return;
    const auto most = static_cast<int>(::sysconf(_SC_OPEN_MAX));
    for (int file = first; file < most; ++file) ::fcntl(file, F_SETFD, FD_CLOEXEC);
}

}  // namespace errand::test
