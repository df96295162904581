// How much of a processor a process has had so far.
#pragma once

#include <ctime>
#include <stdexcept>
#include <sys/types.h>

namespace trial {

// All of its threads; ms.
inline double processor_ms(pid_t of) {
    clockid_t clock{};
    timespec spent{};
    if (::clock_getcpuclockid(of, &clock) != 0 || ::clock_gettime(clock, &spent) != 0)
        throw std::runtime_error{"the server's processor time cannot be read"};
    return static_cast<double>(spent.tv_sec) * 1e3 + static_cast<double>(spent.tv_nsec) / 1e6;
}

}  // namespace trial
