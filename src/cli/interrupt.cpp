#include "cli/interrupt.hpp"

#include <csignal>

namespace errand::cli {
namespace {

volatile std::sig_atomic_t came = 0;

void note(int) { came = 1; }

void on_signals(void (*then)(int), unsigned flags) {
    struct sigaction what{};
    what.sa_handler = then;
    what.sa_flags = static_cast<int>(flags);
    sigaction(SIGINT, &what, nullptr);
    sigaction(SIGTERM, &what, nullptr);
}

}  // namespace

interruptible::interruptible() {
    came = 0;
    on_signals(note, SA_RESETHAND);
}

interruptible::~interruptible() { on_signals(SIG_DFL, 0U); }

bool interruptible::asked() const noexcept { return came != 0; }

}  // namespace errand::cli
