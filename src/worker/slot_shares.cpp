#include "worker/slot_shares.hpp"

#include <algorithm>

namespace errand {

// Handlers that come back from a wait go first: there may be fewer than were given away.
std::size_t slot_shares::free(std::size_t whose) const noexcept {
    return std::min(shares_.given(whose), slots_.free());
}

void slot_shares::reserve(std::size_t whose, std::size_t count) { shares_.take(whose, count); }

void slot_shares::wants(std::size_t whose, slot_user by, bool some) {
    auto& wish = wishes_[whose];
    const bool before = wish != 0;
    const auto bit = static_cast<unsigned>(by);
    wish = some ? wish | bit : wish & ~bit;
    if (before == (wish != 0)) return;
    shares_.wants(whose, wish != 0);
    look();
}

void slot_shares::look() {
    const auto free = slots_.free();
    if (free > shares_.given()) shares_.give(free - shares_.given());
    if (free == 0) return;
    for (std::size_t whose = 0; whose < shares_.size(); ++whose) {
        if (shares_.given(whose) > 0) told_(whose);
    }
}

}  // namespace errand
