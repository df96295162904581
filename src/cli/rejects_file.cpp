#include "cli/rejects_file.hpp"

#include <errand/error.hpp>

#include "cli/session.hpp"
#include "cli/terminal.hpp"
#include "core/utf8.hpp"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace errand::cli {
namespace {

constexpr std::uint64_t most_said = 10;
constexpr std::size_t most_of_a_line = 10'000;

}  // namespace

void said_rejects::add(std::uint64_t number, const std::string& reason) {
    if (++said_ > most_said) {
        ++unsaid_;
        return;
    }
    // In the place of a bar.
    if (errors_are_terminal()) std::fputs("\r\x1b[K", stderr);
    complain(noun_ + ' ' + std::to_string(number) + ": " + reason);
}

std::string kept_of_reject(const std::string& text) {
    auto kept = repaired_utf8(utf8_prefix(text, most_of_a_line));
    if (text.size() > most_of_a_line) kept += "...";
    return kept;
}

rejects_file::rejects_file(std::string path) : path_{std::move(path)} {
    for (;;) {
        file_ = open();
        struct stat about{};
        if (::fstat(::fileno(file_.get()), &about) != 0) throw_unwritable(errno);
        is_device_ = !S_ISREG(about.st_mode);
        if (is_device_) return;
        lock(file_);
        // Who had it may have put another one in its place.
        if (is_at_path(file_)) return;
    }
}

rejects_file::stream rejects_file::open() const {
    const int opened = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (opened < 0) throw_unwritable(errno);
    stream got{::fdopen(opened, "ab")};
    if (got) return got;
    const int error = errno;
    ::close(opened);
    throw_unwritable(error);
}

bool rejects_file::is_at_path(const stream& what) const {
    struct stat own{}, there{};
    if (::fstat(::fileno(what.get()), &own) != 0) throw_unwritable(errno);
    return ::stat(path_.c_str(), &there) == 0 && own.st_dev == there.st_dev && own.st_ino == there.st_ino;
}

void rejects_file::lock(const stream& what) const {
    while (::flock(::fileno(what.get()), LOCK_EX | LOCK_NB) != 0) {
        if (errno == EINTR) continue;
        if (errno != EWOULDBLOCK) throw_unwritable(errno);
        throw usage_error{"--rejects: another process writes to " + path_ +
                          ": let it end first, or name another file"};
    }
}

bool rejects_file::is_empty() {
    if (is_device_) return true;
    struct stat about{};
    if (::fstat(::fileno(file_.get()), &about) != 0) throw_unwritable(errno);
    return about.st_size == 0;
}

void rejects_file::cut(std::uint64_t bytes) {
    if (is_device_) return;
    if (::ftruncate(::fileno(file_.get()), static_cast<off_t>(bytes)) != 0) throw_unwritable(errno);
}

void rejects_file::write(std::string_view bytes) {
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size()) throw_unwritable(errno);
}

void rejects_file::flush() {
    if (std::fflush(file_.get()) != 0) throw_unwritable(errno);
}

void rejects_file::replace(std::string_view bytes) {
    if (is_device_) return;
    std::error_code error;
    // Not a link to it.
    const auto place = std::filesystem::canonical(path_, error);
    if (error) throw_unwritable(error.value());
    auto beside = place.string() + ".XXXXXX";
    const int opened = ::mkostemp(beside.data(), O_APPEND | O_CLOEXEC);
    if (opened < 0) throw_unwritable(errno);
    try {
        stream next{::fdopen(opened, "ab")};
        if (!next) {
            ::close(opened);
            throw_unwritable(ENOMEM);
        }
        struct stat about{};
        // Its own before anybody else can see it there.
        lock(next);
        if (::fstat(::fileno(file_.get()), &about) != 0 || ::fchmod(opened, about.st_mode & 07777U) != 0 ||
            std::fwrite(bytes.data(), 1, bytes.size(), next.get()) != bytes.size() ||
            std::fflush(next.get()) != 0 || ::fsync(opened) != 0 ||
            ::rename(beside.c_str(), place.c_str()) != 0) {
            throw_unwritable(errno);
        }
        file_ = std::move(next);
    } catch (...) {
        ::unlink(beside.c_str());
        throw;
    }
}

void rejects_file::throw_unwritable(int error) const {
    throw usage_error{"--rejects: " + path_ +
                      " cannot be written: " + std::generic_category().message(error)};
}

void rejects_file::refuse(const std::string& why) const {
    throw usage_error{"--rejects: " + path_ + ' ' + why};
}

}  // namespace errand::cli
