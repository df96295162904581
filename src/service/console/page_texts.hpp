// The files of console/, by their paths below it, as "pages/queues.js".
#pragma once

#include "core/embedded_text.hpp"

#include <span>

namespace errand::console {

extern const std::span<const embedded_text> page_texts;  // sorted by name

}  // namespace errand::console
