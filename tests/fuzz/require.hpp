// What must hold whatever the bytes are: else the fuzzer stops at them.
#pragma once

#include <cstdlib>

inline void require(bool holds) {
    if (!holds) std::abort();
}
