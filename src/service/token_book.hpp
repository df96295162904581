// The tokens of a file as they are now: a line that is taken out, or whose time is over, lets nobody in with the next request. On one
// thread.
#pragma once

#include "service/token_list.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace errand::web {

class token_book {
public:
    // Throws usage_error when the file cannot be read, or is none.
    explicit token_book(std::string path);

    // Throws refusal (503) when the file cannot be read any more, or does not fit: then nobody is let in.
    const std::vector<token_holder>& now();
    // How often it was read.
    std::uint64_t readings() const noexcept { return readings_; }

private:
    // What tells one version of the file from another.
    struct version {
        std::int64_t inode = 0;
        std::int64_t size = 0;
        std::int64_t seconds = 0;
        std::int64_t nanoseconds = 0;
        friend bool operator==(const version&, const version&) = default;
    };
    version look() const;
    void read(const version& as);

    std::string path_;
    version read_{};
    std::uint64_t readings_ = 0;
    std::vector<token_holder> holders_;
};

}  // namespace errand::web
