#include "trial/sqlite_ground.hpp"

#include "support/places.hpp"
#include "trial/site.hpp"

#include <sqlite3.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sched.h>
#include <stdexcept>
#include <sys/mount.h>
#include <sys/statvfs.h>

namespace trial {
namespace {

constexpr std::uintmax_t large = std::uintmax_t{1} << 30U;
// What is left of a full disk.
constexpr std::uintmax_t crumb = 64 * 1024;

}  // namespace

sqlite_ground::sqlite_ground(bool mounted)
    : folder_{errand::test::temporary_folder("trial")}, disk_{folder_ / "disk"} {
    std::filesystem::create_directory(disk_);
    mounted_ = mounted && mount_disk();
    std::ofstream{folder_ / "full"}.put('\0');
    std::fprintf(stderr, "trial: its disk is %s\n",
                 mounted_ ? "a file system of its own"
                          : "full only for who uses the file: it cannot be mounted");
}

sqlite_ground::~sqlite_ground() {
    sqlite3_close_v2(own_);
    if (mounted_) ::umount2(disk_.c_str(), MNT_DETACH);
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

// Seen by this process and its children only, and gone with the last of them.
bool sqlite_ground::mount_disk() {
    return ::unshare(CLONE_NEWNS) == 0 && ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
           ::mount("errand-trial", disk_.c_str(), "tmpfs", 0, "size=1g") == 0;
}

void sqlite_ground::resize_disk(std::uintmax_t size) const {
    const auto with = "size=" + std::to_string(size);
    ::mount(nullptr, disk_.c_str(), nullptr, MS_REMOUNT, with.c_str());
}

// In place: who reads the file has it mapped.
void sqlite_ground::pretend(char full) const {
    std::fstream{folder_ / "full", std::ios::in | std::ios::out}.put(full);
}

void sqlite_ground::fill() {
    // What the log has room for is room that a full disk still has.
    fold_log();
    if (!mounted_) {
        pretend('\1');
        return;
    }
    struct statvfs now{};
    if (::statvfs(disk_.c_str(), &now) == 0) resize_disk((now.f_blocks - now.f_bfree) * now.f_frsize + crumb);
}

bool sqlite_ground::make_room() {
    if (!mounted_) {
        pretend('\0');
        return true;
    }
    struct statvfs now{};
    const bool was_full = ::statvfs(disk_.c_str(), &now) == 0 && now.f_bfree * now.f_frsize < crumb / 2;
    resize_disk(large);
    return was_full;
}

std::vector<std::pair<std::string, std::string>> sqlite_ground::variables() const {
    return {{"ERRAND_TRIAL_DISK", mounted_ ? "" : (folder_ / "full").string()}};
}

bool sqlite_ground::ask(const char* sql) {
    if (!own_ && sqlite3_open_v2(path().c_str(), &own_, SQLITE_OPEN_READWRITE, nullptr) != SQLITE_OK) {
        sqlite3_close_v2(std::exchange(own_, nullptr));
        return false;
    }
    sqlite3_busy_timeout(own_, 500);
    return sqlite3_exec(own_, sql, nullptr, nullptr, nullptr) == SQLITE_OK;
}

bool sqlite_ground::lock() {
    const bool held = own_ && sqlite3_get_autocommit(own_) == 0;
    return !held && ask("BEGIN IMMEDIATE");
}

void sqlite_ground::unlock() {
    if (own_ && sqlite3_get_autocommit(own_) == 0) ask("ROLLBACK");
}

void sqlite_ground::fold_log() { ask("PRAGMA wal_checkpoint(TRUNCATE)"); }

std::unique_ptr<ground> make_sqlite_ground(const terms& how) {
    return std::make_unique<sqlite_ground>(how.mounted);
}

}  // namespace trial
