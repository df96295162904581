#pragma once

#include <string>
#include <string_view>

// A file in the format of `sha256sum -c`. It appears under its name whole or not at all.
class checksum_file {
public:
    // Throws std::system_error when a file cannot be made there: known before the work, not after it.
    explicit checksum_file(std::string path);
    void add(std::string_view digest, std::string_view name);
    // Throws std::system_error; what was there before is then still there.
    void write() const;

private:
    std::string path_;
    std::string lines_;
};
