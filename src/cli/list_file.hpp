// The file of tokens as `errand token` changes it: one program at a time, and no service reads half of a change.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace errand::cli {

// Throws error.
std::string contents_of(const std::string& path);

// At the end of the file, which is made, for its owner alone, where there is none. Throws error.
void append_to(const std::string& path, std::string line);

// What `change` makes of the text, unless it says 0 of it; what it says. The file keeps its owner and its rights. Throws error.
std::size_t rewrite(const std::string& path, const std::function<std::size_t(std::string&)>& change);

}  // namespace errand::cli
