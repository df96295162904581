// The file of the lines that an import did not take: one line of JSON for each, {"line", "reason", "text"}, in their order.
#pragma once

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

namespace errand::cli {

class import_rejects {
public:
    // @param path  empty: the first ones are said on the error stream
    // @param after of an import that goes on behind this line; nullopt: of one that begins. What an earlier process has written of
    //              later lines goes: they come again
    // Throws usage_error when something else is there.
    import_rejects(std::string path, std::optional<std::uint64_t> after);
    ~import_rejects();
    import_rejects(const import_rejects&) = delete;
    import_rejects& operator=(const import_rejects&) = delete;

    // @param text as it stands in the file, or the beginning of that
    void add(std::uint64_t line, const std::string& reason, const std::string& text);
    // What was added is in the file. Throws usage_error when it could not be written.
    void flush();
    // Of those that were said, how many were not.
    std::uint64_t unsaid() const noexcept { return unsaid_; }

private:
    std::string path_;
    std::FILE* file_ = nullptr;
    std::uint64_t said_ = 0;
    std::uint64_t unsaid_ = 0;
};

}  // namespace errand::cli
