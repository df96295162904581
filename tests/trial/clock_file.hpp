// The file that says how wrong a program's clock goes, as shifted_clock.cpp reads it.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace trial {

class clock_file {
public:
    explicit clock_file(std::string path, std::int64_t ms = 0);
    void set(std::int64_t ms) const;
    const std::string& path() const noexcept { return path_; }
    // Of a program that goes by it.
    std::map<std::string, std::string> variables() const;

private:
    std::string path_;
};

}  // namespace trial
