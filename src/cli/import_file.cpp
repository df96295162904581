#include "cli/import_file.hpp"

#include "core/csv_records.hpp"
#include "core/sha256.hpp"
#include "core/utf8.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <stdexcept>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace errand::cli {
namespace {

constexpr std::size_t known_by = std::size_t{1} << 20U;  // the bytes whose SHA-256 tells a file from others
constexpr std::size_t read_at_once = std::size_t{1} << 18U;
constexpr std::size_t kept_of_too_long = 200;
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

[[noreturn]] void throw_file(const std::string& path, const std::string& what) {
    throw std::runtime_error{"the file " + path + ' ' + what};
}

[[noreturn]] void throw_unreadable(const std::string& path, int error) {
    throw_file(path, "cannot be read: " + std::generic_category().message(error));
}

[[noreturn]] void throw_changed(const std::string& path) {
    throw_file(path,
               "is not the one that this import was begun with, or has changed since: restore it, or import "
               "this one under another --name");
}

}  // namespace

import_file::import_file(std::string path, bool csv, std::size_t longest)
    : path_{std::move(path)}, csv_{csv}, longest_{longest} {
    const bool piped = path_ == "-";
    if (piped) path_ = "on standard input";
    file_ = piped ? ::dup(STDIN_FILENO) : ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    if (file_ < 0) throw_unreadable(path_, errno);
    struct stat about{};
    if (::fstat(file_, &about) != 0) throw_unreadable(path_, errno);
    if (S_ISDIR(about.st_mode)) throw_file(path_, "is a folder: name a file in it");
    if (S_ISREG(about.st_mode)) size_ = static_cast<std::uint64_t>(about.st_size);
    while (!ended_ && buffer_.size() < known_by) read_more();
    const auto digest = sha256(std::string_view{buffer_}.substr(0, known_by));
    digest_.assign(digest.begin(), digest.end());
    check_encoding();
    if (csv_) read_header();
}

import_file::~import_file() {
    if (file_ >= 0) ::close(file_);
}

import_record import_file::description() const {
    import_record one;
    one.size = size_;
    one.digest = digest_;
    one.csv = csv_;
    return one;
}

void import_file::check_encoding() {
    const auto front = ahead();
    if (front.starts_with("\xFF\xFE") || front.starts_with("\xFE\xFF"))
        throw_file(path_, "is UTF-16: convert it, as with iconv -f UTF-16 -t UTF-8");
    if (front.starts_with("\x1F\x8B"))
        throw_file(path_, "is compressed: gzip -dc FILE | errand import - reads it");
    if (front.starts_with(byte_order_mark)) take(byte_order_mark.size(), 0);
}

void import_file::read_header() {
    auto first = next_csv();
    if (!first) throw_file(path_, "is empty: its first line is to name the columns");
    if (!first->fault.empty()) throw_file(path_, "has no header: " + first->fault);
    header_ = std::move(first->fields);
}

void import_file::resume(const import_record& from) {
    if (from.size != size_ || from.digest != digest_ || from.csv != csv_) throw_changed(path_);
    if (from.offset < offset_) return;
    skip_to(from.offset);
    lines_ = from.lines;
}

void import_file::skip_to(std::uint64_t offset) {
    if (offset - offset_ <= buffer_.size() - at_) {
        take(static_cast<std::size_t>(offset - offset_), 0);
        return;
    }
    if (size_ > 0 && ::lseek(file_, static_cast<off_t>(offset), SEEK_SET) >= 0) {
        buffer_.clear();
        at_ = 0;
        offset_ = read_ = offset;
        ended_ = false;
        return;
    }
    while (offset_ < offset) {
        if (at_ == buffer_.size() && !read_more()) {
            throw_file(path_,
                       "is shorter than what was imported of it: give all of it again, from its beginning");
        }
        take(static_cast<std::size_t>(std::min<std::uint64_t>(offset - offset_, buffer_.size() - at_)), 0);
    }
}

// What was written behind its end since it was opened may be half a line, and is none of this import.
void import_file::check_not_grown() const {
    struct stat about{};
    if (::fstat(file_, &about) != 0) throw_unreadable(path_, errno);
    if (static_cast<std::uint64_t>(about.st_size) > size_) throw_changed(path_);
}

// False: there is no more.
bool import_file::read_more() {
    if (size_ > 0 && read_ == size_) ended_ = true;
    if (ended_) return false;
    const auto most =
        size_ > 0 ? std::min<std::uint64_t>(size_ - read_, read_at_once) : std::uint64_t{read_at_once};
    if (at_ > read_at_once) {
        buffer_.erase(0, at_);
        at_ = 0;
    }
    const auto before = buffer_.size();
    buffer_.resize(before + read_at_once);
    ssize_t got = 0;
    do {
        got = ::read(file_, buffer_.data() + before, static_cast<std::size_t>(most));
    } while (got < 0 && errno == EINTR);
    buffer_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0) throw_unreadable(path_, errno);
    read_ += static_cast<std::uint64_t>(got);
    ended_ = got == 0;
    if (ended_ && read_ < size_) {
        throw_file(
            path_,
            "was truncated while it was read: restore it and give the same command again, which goes on "
            "where this one stopped");
    }
    return !ended_;
}

void import_file::take(std::size_t bytes, std::size_t lines) {
    at_ += bytes;
    offset_ += bytes;
    lines_ += lines;
}

std::optional<file_record> import_file::next() {
    auto one = csv_ ? next_csv() : next_line();
    if (size_ > 0 && (!one || offset_ == size_)) check_not_grown();
    return one;
}

std::optional<file_record> import_file::next_line() {
    std::size_t searched = 0;
    for (;;) {
        const auto text = ahead();
        const auto end = text.find('\n', searched);
        if (end > longest_ && text.size() > longest_) return too_long();
        if (end != text.npos || (ended_ && !text.empty())) {
            file_record one{.line = lines_ + 1, .text = std::string{text.substr(0, end)}};
            if (one.text.ends_with('\r')) one.text.pop_back();
            take(end == text.npos ? text.size() : end + 1, 1);
            return one;
        }
        if (ended_) return std::nullopt;
        searched = text.size();
        read_more();
    }
}

std::optional<file_record> import_file::next_csv() {
    for (;;) {
        const auto text = ahead();
        auto got = read_csv_record(text.substr(0, longest_), ended_ && text.size() <= longest_);
        if (got) {
            file_record one{.line = lines_ + 1,
                            .text = std::string{text.substr(0, got->bytes)},
                            .fields = std::move(got->fields),
                            .fault = std::move(got->fault)};
            while (one.text.ends_with('\n') || one.text.ends_with('\r')) one.text.pop_back();
            take(got->bytes, got->lines);
            return one;
        }
        if (text.size() > longest_) return too_long();
        if (ended_) return std::nullopt;
        read_more();
    }
}

// Passed over to its end.
file_record import_file::too_long() {
    file_record one{.line = lines_ + 1, .text = std::string{utf8_prefix(ahead(), kept_of_too_long)} + "..."};
    one.fault = std::string{csv_ ? "the record" : "the line"} + " is longer than " +
                std::to_string(longest_) + " bytes: pass a reference to the data instead" +
                (csv_ ? ", or close the quote in it" : "");
    if (!csv_) {
        skip_line();
    } else if (!skip_csv()) {
        one.fault += "; that is open up to the end of the file, so nothing behind it was taken";
    }
    return one;
}

void import_file::skip_line() {
    for (;;) {
        const auto text = ahead();
        const auto end = text.find('\n');
        if (end != text.npos || ended_) {
            take(end == text.npos ? text.size() : end + 1, 1);
            return;
        }
        take(text.size(), 0);
        read_more();
    }
}

// False: a quote is open at the end of the file.
bool import_file::skip_csv() {
    csv_record_end end;
    for (bool breaks = false;;) {
        const auto text = ahead();
        const auto taken = text.substr(0, end.look_in(text));
        if (!taken.empty()) breaks = taken.ends_with('\n');
        take(taken.size(), static_cast<std::size_t>(std::ranges::count(taken, '\n')));
        if (end.is_found()) return true;
        if (!read_more()) {
            // The end of the file counts as the end of a line.
            if (!breaks) ++lines_;
            return !end.is_in_quotes();
        }
    }
}

}  // namespace errand::cli
