// How often a worker makes the rounds that no event asks for, so that the cluster as a whole makes them at a
// steady and low rate however many workers it has: the randomised interval avg * (1/2 + random) * workers.
#pragma once

#include <errand/time.hpp>

#include <cstddef>
#include <optional>

namespace errand {

// Until the next look at queues whose wake-up may have been missed, when none of their workers is told to look sooner.
// `random` in [0, 1).
duration look_interval(std::size_t workers, double random) noexcept;

// The same, or until something falls due (`until_due`; nullopt: nothing that is known of), when that is sooner.
duration look_or_due(std::optional<duration> until_due, std::size_t workers, double random) noexcept;

// Until a worker with free slots claims although nothing has told it to: whatever it missed, it is not deaf for longer.
duration claim_interval(double random) noexcept;

// Until a worker offers again to do for all what another one does: somebody takes over soon when that one has died.
duration offer_interval(std::size_t workers, double random) noexcept;

// Until the next look for leases that ran out: when the first one ends (`until_end`; nullopt: there is none), a little
// later by chance so that workers do not come at once. Leases taken meanwhile end a whole lease from now at the earliest.
duration recovery_interval(std::optional<duration> until_end, duration lease, std::size_t workers,
                           double random) noexcept;

// Until the next deletion of ended tasks: about every 30 s over the cluster.
duration cleaning_interval(std::size_t workers, double random) noexcept;

}  // namespace errand
