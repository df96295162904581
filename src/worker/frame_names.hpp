// What the functions are called that addresses of this process belong to, by the symbols in the files that it was loaded from.
//
// dladdr() knows only names that a program exports, and takes the loader's lock, which whoever is looked at may hold.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace errand {

// One for each: "resize(image const&)", or "shop+0x3f21" of a file that has no symbols: the address as the linker gave it, which addr2line
// takes. Each address but the first is what a call returns to.
std::vector<std::string> frame_names(std::span<void* const> addresses);

// "a < b < c", as far as names say something to who wrote the handler: without what calls handlers.
std::string stack_in_words(const std::vector<std::string>& names);

}  // namespace errand
