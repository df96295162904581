#include "words.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <system_error>
#include <unistd.h>

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const std::string& path) {
    throw std::system_error{errno, std::generic_category(), path};
}

std::ifstream open_file(const std::string& path) {
    std::ifstream in{path, std::ios::binary};
    if (!in) fail(path);
    return in;
}

// 0 when it is none.
char letter(int c) {
    if (c >= 'a' && c <= 'z') return static_cast<char>(c);
    if (c >= 'A' && c <= 'Z') return static_cast<char>(c - 'A' + 'a');
    return 0;
}

// The first place from `at` on at which no word goes on.
std::uint64_t next_gap(std::ifstream& in, std::uint64_t at, std::uint64_t end) {
    in.clear();
    in.seekg(static_cast<std::streamoff>(at));
    while (at < end && letter(in.get()) != 0) ++at;
    return at;
}

}  // namespace

std::vector<piece> split_corpus(const std::string& directory, std::uint64_t size) {
    std::vector<std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator{directory}) {
        if (entry.is_regular_file() && !entry.is_symlink()) files.push_back(entry.path().string());
    }
    std::ranges::sort(files);
    std::vector<piece> pieces;
    for (const auto& file : files) {
        auto in = open_file(file);
        const std::uint64_t end = fs::file_size(file);
        for (std::uint64_t from = 0; from < end;) {
            const auto to = next_gap(in, std::min(from + size, end), end);
            pieces.push_back({file, from, to});
            from = to;
        }
    }
    return pieces;
}

word_counts count_words(const piece& of) {
    auto in = open_file(of.file);
    std::string text(of.to - of.from, '\0');
    in.seekg(static_cast<std::streamoff>(of.from));
    if (!in.read(text.data(), static_cast<std::streamsize>(text.size()))) fail(of.file);
    word_counts counts;
    std::string word;
    for (const char c : text) {
        if (const char l = letter(static_cast<unsigned char>(c)); l != 0) {
            word += l;
        } else if (!word.empty()) {
            ++counts[word];
            word.clear();
        }
    }
    if (!word.empty()) ++counts[word];
    return counts;
}

void write_table(const std::string& path, const word_counts& counts) {
    const auto unfinished = path + ".new." + std::to_string(::getpid());
    {
        const std::unique_ptr<std::FILE, int (*)(std::FILE*)> out{std::fopen(unfinished.c_str(), "w"),
                                                                  &std::fclose};
        if (!out) fail(unfinished);
        for (const auto& [word, count] : counts) {
            std::fprintf(out.get(), "%7llu %s\n", static_cast<unsigned long long>(count), word.c_str());
        }
        if (std::fflush(out.get()) != 0) fail(unfinished);
    }
    fs::rename(unfinished, path);
}

void add_table(const std::string& path, word_counts& to) {
    auto in = open_file(path);
    std::string word;
    for (std::uint64_t count = 0; in >> count >> word;) to[word] += count;
}
