#include "cli/list_file.hpp"

#include <errand/error.hpp>

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace errand::cli {
namespace {

class open_file {
public:
    explicit open_file(int number) : number_{number} {}
    ~open_file() {
        if (number_ >= 0) ::close(number_);
    }
    open_file(open_file&& from) noexcept : number_{std::exchange(from.number_, -1)} {}
    open_file(const open_file&) = delete;
    open_file& operator=(const open_file&) = delete;

    int number() const noexcept { return number_; }

private:
    int number_;
};

[[noreturn]] void fail(const std::string& doing, const std::string& path, int why) {
    throw error{"cannot " + doing + ' ' + path + ": " + std::generic_category().message(why)};
}

// With the lock on it that whoever changes it takes. A file that has taken its place meanwhile has a lock of its own.
open_file locked(const std::string& path, int flags, const std::string& doing) {
    for (;;) {
        open_file file{::open(path.c_str(), flags | O_CLOEXEC, 0600)};
        if (file.number() < 0) fail(doing, path, errno);
        while (::flock(file.number(), LOCK_EX) != 0) {
            if (errno != EINTR) fail("lock", path, errno);
        }
        struct stat mine{};
        struct stat there{};
        if (::fstat(file.number(), &mine) != 0) fail(doing, path, errno);
        if (::stat(path.c_str(), &there) != 0) {
            if (errno != ENOENT) fail(doing, path, errno);
            continue;
        }
        if (mine.st_dev == there.st_dev && mine.st_ino == there.st_ino) return file;
    }
}

// 0, or why not all of it was written.
int write_all(int file, std::string_view text) {
    while (!text.empty()) {
        const auto written = ::write(file, text.data(), text.size());
        if (written < 0 && errno != EINTR) return errno;
        if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
    }
    return 0;
}

std::string text_in(int file, const std::string& path) {
    std::string text;
    char part[4096];
    for (;;) {
        const auto n = ::read(file, part, sizeof part);
        if (n == 0) return text;
        if (n > 0) {
            text.append(part, static_cast<std::size_t>(n));
        } else if (errno != EINTR) {
            fail("read", path, errno);
        }
    }
}

// 0, or why there is no file of this name that holds it.
int fill(int file, const struct stat& like, std::string_view text) {
    if (::fchown(file, like.st_uid, like.st_gid) != 0) return errno;
    if (::fchmod(file, like.st_mode & 07777U) != 0) return errno;
    if (const int why = write_all(file, text); why != 0) return why;
    return ::fsync(file) == 0 ? 0 : errno;
}

}  // namespace

std::string contents_of(const std::string& path) {
    const open_file file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    if (file.number() < 0) fail("read", path, errno);
    return text_in(file.number(), path);
}

void append_to(const std::string& path, std::string line) {
    const auto file = locked(path, O_RDWR | O_CREAT | O_APPEND, "write to");
    struct stat has{};
    if (::fstat(file.number(), &has) != 0) fail("write to", path, errno);
    char last = '\n';
    // What is written at its end would become part of a line that is there.
    if (has.st_size > 0 && ::pread(file.number(), &last, 1, has.st_size - 1) == 1 && last != '\n')
        line.insert(line.begin(), '\n');
    const int why = write_all(file.number(), line);
    if (why == 0) return;
    // Half a line would keep everybody out.
    if (::ftruncate(file.number(), has.st_size) != 0) fail("write to", path, errno);
    fail("write to", path, why);
}

std::size_t rewrite(const std::string& path, const std::function<std::size_t(std::string&)>& change) {
    std::error_code missing;
    const auto list = std::filesystem::canonical(path, missing).string();
    if (missing) fail("read", path, missing.value());
    const auto old = locked(list, O_RDONLY, "read");
    struct stat has{};
    if (::fstat(old.number(), &has) != 0) fail("read", path, errno);
    auto text = text_in(old.number(), path);
    const auto changed = change(text);
    if (changed == 0) return 0;
    auto fresh = list + ".XXXXXX";
    const open_file file{::mkostemp(fresh.data(), O_CLOEXEC)};
    if (file.number() < 0) fail("write to", path, errno);
    int why = fill(file.number(), has, text);
    if (why == 0 && ::rename(fresh.c_str(), list.c_str()) != 0) why = errno;
    if (why == 0) return changed;
    ::unlink(fresh.c_str());
    fail("write to", path, why);
}

}  // namespace errand::cli
