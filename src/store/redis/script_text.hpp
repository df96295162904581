// Puts scripts together from files that name what they need in their first lines:
//
//   -- Needs:   lib_entry lib_links submit_write    these before it; what they need themselves comes with them
//   -- Within:  seldom work_seldom                  this one in a function of that name, with what it needs: defined only
//                                                   when it is called, as a script defines its functions each time it runs
//   -- Gives:   read_runs remember                  all that others may use of this one: it stands in a block behind a `local` of
//                                                   these, and sets them without. All else in it is its own, and takes none of
//                                                   the 200 names that Lua allows a function at a time
#pragma once

#include "store/redis/script_texts.hpp"

#include <span>
#include <string>
#include <string_view>

namespace errand::redis {

// The text of the script whose last file is this one: files called lib_… first, as they only define what the others use,
// each once and after those that it needs. Throws std::logic_error when a file is missing or needs itself.
std::string script_text_of(std::string_view last_file, std::span<const embedded_text> files);

}  // namespace errand::redis
