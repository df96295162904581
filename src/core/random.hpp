// The one source of chance: a generator for each thread, seeded by the system.
#pragma once

namespace errand {

// In [0, 1).
double random_unit();

}  // namespace errand
