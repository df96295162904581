// Pictures of the command line, of what a terminal was sent.
#pragma once

#include <string>
#include <vector>

namespace errand::test {

// The lines that stand on a terminal after all of this was written to it: what errand writes, and no more of what terminals understand.
// From an alternate screen they do not come back to the other one.
std::vector<std::string> lines_on_screen(const std::string& sent);

// As an SVG, with the command above them that led to it.
std::string picture_of(const std::string& command, const std::vector<std::string>& lines);

// Into the folder of pictures that ERRAND_PICTURES names, else into that of the build.
void keep_picture(const std::string& name, const std::string& svg);

}  // namespace errand::test
