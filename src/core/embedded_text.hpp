// A file of the sources that stands in the library, as it was when errand was built.
#pragma once

#include <string_view>

namespace errand {

// Tables of them are generated (cmake/embed_text.cmake); the header that declares one says of which folder.
struct embedded_text {
    std::string_view name;  // the file's name without its ending, or its path below a folder
    std::string_view text;
};

}  // namespace errand
