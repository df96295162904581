// Words of a text (runs of ASCII letters, in lower case), how often each occurs, and files of such tables.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

// A part of a file: bytes from .. to-1, cut where no word is.
struct piece {
    std::string file;
    std::uint64_t from = 0;
    std::uint64_t to = 0;
};

using word_counts = std::map<std::string, std::uint64_t>;

// All regular files below a directory, each cut into pieces of about `size` bytes. In the order of their names.
std::vector<piece> split_corpus(const std::string& directory, std::uint64_t size);

word_counts count_words(const piece& of);

// A table as `sort | uniq -c` prints it. Written beside the path and then moved there: whole, or not at all.
void write_table(const std::string& path, const word_counts& counts);
void add_table(const std::string& path, word_counts& to);
