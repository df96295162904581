#pragma once

#include <cstdint>
#include <string>
#include <vector>

struct walked_file {
    std::string name;        // beginning with the directory as it was given
    std::int64_t size = -1;  // -1: its directory lets it be listed, but not looked at
    std::int64_t modified_ns = 0;
};

struct walked_tree {
    std::vector<walked_file> files;       // by name
    std::vector<std::string> unreadable;  // directories, each with the reason
    std::int64_t bytes = 0;
};

// All regular files below a directory. Symbolic links are not followed, except the directory itself; `except`
// (the file that is about to be written) is left out. Throws std::system_error when the directory cannot be
// read.
walked_tree walk(const std::string& directory, const std::string& except);
