#include "cli/interrupt.hpp"

#include <atomic>
#include <csignal>

namespace errand::cli {
namespace {

// A signal may come to any thread.
std::atomic<bool> came{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void note(int) { came = true; }

void on_signals(void (*then)(int), unsigned flags) {
    struct sigaction what{};
    what.sa_handler = then;
    what.sa_flags = static_cast<int>(flags);
    sigaction(SIGINT, &what, nullptr);
    sigaction(SIGTERM, &what, nullptr);
}

}  // namespace

interruptible::interruptible() {
    came = false;
    on_signals(note, SA_RESETHAND);
}

interruptible::~interruptible() { on_signals(SIG_DFL, 0U); }

bool interruptible::asked() const noexcept { return came; }

}  // namespace errand::cli
