// The handler whose tasks make the crowd: it does what the whole process is told to do.
#pragma once

#include <errand/errand.hpp>

#include <atomic>
#include <cstdint>

namespace crowd {

enum class mood : std::uint8_t { works, dies, fails };

inline std::atomic<mood> today{mood::works};

struct duty {
    errand::awaitable<std::int64_t> perform(std::int64_t number);
};

}  // namespace crowd

ERRAND_DECLARE_HANDLER(crowd::duty, .name = "duty",
                       .backoff = errand::backoff::uniform(std::chrono::hours{1}))
