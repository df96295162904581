#include "cli/rejects_file.hpp"

#include <errand/error.hpp>

#include "cli/session.hpp"
#include "cli/terminal.hpp"
#include "core/utf8.hpp"

#include <cerrno>
#include <fcntl.h>
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
    const int opened = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (opened < 0) throw_unwritable(errno);
    file_.reset(::fdopen(opened, "ab"));
    if (!file_) {
        const int error = errno;
        ::close(opened);
        throw_unwritable(error);
    }
    struct stat about{};
    if (::fstat(opened, &about) != 0) throw_unwritable(errno);
    is_device_ = !S_ISREG(about.st_mode);
    if (!is_device_) lock();
}

void rejects_file::lock() {
    while (::flock(::fileno(file_.get()), LOCK_EX | LOCK_NB) != 0) {
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

void rejects_file::throw_unwritable(int error) const {
    throw usage_error{"--rejects: " + path_ +
                      " cannot be written: " + std::generic_category().message(error)};
}

void rejects_file::refuse(const std::string& why) const {
    throw usage_error{"--rejects: " + path_ + ' ' + why};
}

}  // namespace errand::cli
