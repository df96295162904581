// The file of an import, read record by record from where it was left: lines of JSON, or CSV under a header.
//
// The memory it takes does not depend on how long the file is or its lines are. Everything throws runtime_error, with a sentence that
// says what to do, when the file is not there, cannot be read or is not the one that was begun.
#pragma once

#include "core/import_record.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace errand::cli {

// What stands in one place of the file.
struct file_record {
    std::uint64_t line = 0;  // in which it begins, 1 for the first
    std::string text{};  // as it stands there without its line break; of one that is too long the beginning
    std::vector<std::string> fields{};  // of CSV
    std::string fault{};                // a sentence when it is no record
};

class import_file {
public:
    // @param path      "-": standard input
    // @param longest   bytes of a record
    import_file(std::string path, bool csv, std::size_t longest);
    ~import_file();
    import_file(const import_file&) = delete;
    import_file& operator=(const import_file&) = delete;

    // Of this file, nothing being read: `size`, `digest` and `csv`.
    import_record description() const;
    // Goes on there; throws when this is not the file of the record.
    void resume(const import_record& from);

    // Nullopt: the end, which is where it was when the file was opened. Throws when the file has grown past that.
    std::optional<file_record> next();

    // 0: not known.
    std::uint64_t size() const noexcept { return size_; }
    // Behind what next() gave, in bytes and lines.
    std::uint64_t offset() const noexcept { return offset_; }
    std::uint64_t lines() const noexcept { return lines_; }
    // Names of the columns of a CSV.
    const std::vector<std::string>& header() const noexcept { return header_; }

private:
    bool read_more();
    void check_not_grown() const;
    std::string_view ahead() const { return std::string_view{buffer_}.substr(at_); }
    void take(std::size_t bytes, std::size_t lines);
    void check_encoding();
    void read_header();
    std::optional<file_record> next_line();
    std::optional<file_record> next_csv();
    file_record too_long();
    void skip_line();
    bool skip_csv();
    void skip_to(std::uint64_t offset);

    std::string path_;
    int file_ = -1;
    bool csv_;
    std::size_t longest_;
    std::uint64_t size_ = 0;
    std::string digest_;
    std::string buffer_;
    std::size_t at_ = 0;  // in it: what was taken
    bool ended_ = false;  // nothing follows what is in the buffer
    std::uint64_t read_ = 0;
    std::uint64_t offset_ = 0;
    std::uint64_t lines_ = 0;
    std::vector<std::string> header_;
};

}  // namespace errand::cli
