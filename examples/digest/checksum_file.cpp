#include "checksum_file.hpp"

#include "names.hpp"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace {

[[noreturn]] void fail(const std::string& path) {
    throw std::system_error{errno, std::generic_category(), path};
}

bool write_all(int file, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(file, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

}  // namespace

checksum_file::checksum_file(std::string path) : path_{std::move(path)} {
    struct stat found{};
    if (::stat(path_.c_str(), &found) == 0 && S_ISDIR(found.st_mode)) {
        errno = EISDIR;
        fail(path_);
    }
    std::string parent = std::filesystem::path{path_}.parent_path().string();
    if (parent.empty()) parent = ".";
    if (::access(parent.c_str(), W_OK | X_OK) != 0) fail(parent);
}

void checksum_file::add(std::string_view digest, std::string_view name) {
    const auto written = escape_for_checksum(name);
    if (written.escaped) lines_ += '\\';
    lines_.append(digest).append("  ").append(written.text) += '\n';
}

void checksum_file::write() const {
    const std::string unfinished = path_ + ".new." + std::to_string(::getpid());
    const int file = ::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) fail(unfinished);
    const bool written = write_all(file, lines_) && ::fsync(file) == 0;
    const int why = errno;
    ::close(file);
    if (written && ::rename(unfinished.c_str(), path_.c_str()) == 0) return;
    if (!written) errno = why;
    const int cause = errno;
    ::unlink(unfinished.c_str());
    errno = cause;
    fail(path_);
}
