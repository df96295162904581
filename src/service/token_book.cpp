#include "service/token_book.hpp"

#include <errand/error.hpp>

#include "service/refusal.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <sys/stat.h>
#include <system_error>

namespace errand::web {

token_book::token_book(std::string path) : path_{std::move(path)} { read(look()); }

token_book::version token_book::look() const {
    struct stat seen{};
    if (::stat(path_.c_str(), &seen) != 0)
        throw usage_error{"tokens: " + path_ + ": " + std::generic_category().message(errno)};
    if (!S_ISREG(seen.st_mode)) throw usage_error{"tokens: " + path_ + " is no regular file"};
    return {.inode = static_cast<std::int64_t>(seen.st_ino),
            .size = static_cast<std::int64_t>(seen.st_size),
            .seconds = static_cast<std::int64_t>(seen.st_mtim.tv_sec),
            .nanoseconds = static_cast<std::int64_t>(seen.st_mtim.tv_nsec)};
}

void token_book::read(const version& as) {
    std::ifstream file{path_, std::ios::binary};
    std::string text;
    std::array<char, 4096> part{};
    do {
        file.read(part.data(), part.size());
        text.append(part.data(), static_cast<std::size_t>(file.gcount()));
    } while (file);
    // A part of the list is not the list.
    if (file.bad() || !file.eof()) throw usage_error{"tokens: " + path_ + " cannot be read"};
    holders_ = read_token_list(text);
    read_ = as;
    ++readings_;
}

const std::vector<token_holder>& token_book::now() {
    try {
        const auto there = look();
        if (there != read_) read(there);
        const auto now = std::chrono::system_clock::now();
        std::erase_if(holders_, [&](const token_holder& one) { return one.expires && *one.expires <= now; });
        return holders_;
    } catch (const usage_error&) {
        // With another version next time it is read again.
        read_ = {};
        throw refusal{503, "unavailable", "the list of tokens cannot be read here, so nobody is let in"};
    }
}

}  // namespace errand::web
