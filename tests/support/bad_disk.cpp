#include "support/bad_disk.hpp"

#include <sqlite3.h>

#include <atomic>
#include <csignal>
#include <fcntl.h>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <sys/mman.h>
#include <unistd.h>

namespace errand::test {
namespace {

std::atomic<bool> full{false};
const volatile char* full_too = nullptr;
std::atomic<int> writes_left{0};

// What SQLite calls for an open file, with one function changed, and what that one calls.
struct changed_methods : sqlite3_io_methods {
    const sqlite3_io_methods* real = nullptr;
};

int write(sqlite3_file* to, const void* bytes, int size, sqlite3_int64 at) {
    if (full || (full_too && *full_too != 0)) return SQLITE_FULL;
    const auto* real = static_cast<const changed_methods*>(to->pMethods)->real;
    if (writes_left > 0 && --writes_left == 0) {
        real->xWrite(to, bytes, size / 2, at);
        ::kill(::getpid(), SIGKILL);
    }
    return real->xWrite(to, bytes, size, at);
}

const sqlite3_io_methods* changed(const sqlite3_io_methods* real) {
    static std::mutex guard;
    static std::map<const sqlite3_io_methods*, std::unique_ptr<changed_methods>> all;
    const std::lock_guard lock{guard};
    auto& ours = all[real];
    if (!ours) {
        ours = std::make_unique<changed_methods>();
        static_cast<sqlite3_io_methods&>(*ours) = *real;
        ours->real = real;
        ours->xWrite = write;
    }
    return ours.get();
}

sqlite3_vfs* usual = nullptr;

int open(sqlite3_vfs*, sqlite3_filename name, sqlite3_file* file, int flags, int* out) {
    const int got = usual->xOpen(usual, name, file, flags, out);
    if (got == SQLITE_OK && file->pMethods) file->pMethods = changed(file->pMethods);
    return got;
}

}  // namespace

void bad_disk::install() {
    static sqlite3_vfs ours;
    if (usual) return;
    usual = sqlite3_vfs_find(nullptr);
    ours = *usual;
    ours.zName = "bad_disk";
    ours.xOpen = open;
    ours.pNext = nullptr;
    sqlite3_vfs_register(&ours, 1);
}

void bad_disk::be_full(bool yes) { full = yes; }

void bad_disk::be_full_as(const std::string& file) {
    const int opened = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    void* page = opened < 0 ? MAP_FAILED : ::mmap(nullptr, 1, PROT_READ, MAP_SHARED, opened, 0);
    if (opened >= 0) ::close(opened);
    if (page == MAP_FAILED) throw std::runtime_error{"cannot read " + file};
    full_too = static_cast<const volatile char*>(page);
}

void bad_disk::die_at_write(int n) { writes_left = n; }

}  // namespace errand::test
