// The file of the lines that an import did not take: one line of JSON for each, {"line", "reason", "text"}, in their order.
#pragma once

#include "cli/rejects_file.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace errand::cli {

class import_rejects {
public:
    // @param path  empty: the first ones are said on the error stream
    // @param after of an import that goes on behind this line; nullopt: of one that begins
    // The file is this process's alone for as long as this lives. Throws usage_error when another one has it, or something else is there.
    import_rejects(const std::string& path, std::optional<std::uint64_t> after);
    // What an earlier process has written of lines behind `after` goes, as they come again: to be called when the import is taken over,
    // since of one that another process works on they are not in the record yet.
    void drop_later();

    // @param text as it stands in the file, or the beginning of that
    void add(std::uint64_t line, const std::string& reason, const std::string& text);
    // What was added is in the file. Throws usage_error when it could not be written.
    void flush();
    // Of those that were said, how many were not.
    std::uint64_t unsaid() const noexcept { return said_.unsaid(); }

private:
    std::optional<rejects_file> file_;
    said_rejects said_{"line"};
    std::optional<std::uint64_t> kept_bytes_{};  // of what was there
};

}  // namespace errand::cli
