#pragma once

#include <span>
#include <string_view>

namespace errand::console {

// The files of console/ as they were when errand was built; the source is generated.
struct script_text {
    std::string_view name;  // the path below console/, as "pages/queues.js"
    std::string_view text;
};

extern const std::span<const script_text> page_texts;  // sorted by name

}  // namespace errand::console
