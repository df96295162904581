// How stores write down what becomes of a task when one it depends on fails.
#pragma once

#include "store/store.hpp"

namespace errand {

inline char letter_of(on_failed rule) noexcept {
    switch (rule) {
    case on_failed::cancel: return 'c';
    case on_failed::wait: return 'w';
    case on_failed::run: return 'r';
    case on_failed::gather: return 'g';
    }
    return 'c';
}

}  // namespace errand
