// The worker's half: reads the file and digests it.
#include "work.hpp"

#include "../ledger.hpp"
#include "../shared_store.hpp"
#include "digest.hpp"
#include "names.hpp"
#include "sha256.hpp"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace {

// What another attempt may find otherwise is a failure and is retried; everything else is so and stays so.
[[noreturn]] void fail(int error) {
    const bool passes =
        error == EMFILE || error == ENFILE || error == ENOMEM || error == ESTALE || error == ETIMEDOUT;
    if (passes) throw std::system_error{error, std::generic_category()};
    throw errand::discard{std::generic_category().message(error)};
}

class open_file {
public:
    // Neither through a link nor waiting for a pipe's writer: both may have taken the file's place.
    explicit open_file(const std::string& name)
        : file_{::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)} {
        if (file_ < 0) fail(errno);
    }
    ~open_file() { ::close(file_); }
    open_file(const open_file&) = delete;
    open_file& operator=(const open_file&) = delete;

    std::size_t read(char* to, std::size_t room) const {
        for (;;) {
            const ssize_t count = ::read(file_, to, room);
            if (count >= 0) return static_cast<std::size_t>(count);
            if (errno != EINTR) fail(errno);
        }
    }

    // The digest is kept under the size and time of the walk, so it must be of exactly those bytes.
    void demand(const listed_file& listed) const {
        struct stat now{};
        if (::fstat(file_, &now) != 0) fail(errno);
        if (S_ISDIR(now.st_mode)) fail(EISDIR);
        if (!S_ISREG(now.st_mode)) throw errand::discard{"no longer a regular file"};
        const std::int64_t ns = std::int64_t{now.st_mtim.tv_sec} * 1'000'000'000 + now.st_mtim.tv_nsec;
        if (now.st_size != listed.size || ns != listed.modified_ns) {
            throw errand::discard{"changed after it was listed"};
        }
    }

private:
    int file_;
};

constexpr std::size_t chunk = 64 * 1024;

std::string digest_of(const open_file& file, const errand::task_context& self) {
    const auto buffer = std::make_unique_for_overwrite<char[]>(chunk);
    sha256 all;
    while (const std::size_t count = file.read(buffer.get(), chunk)) {
        // Nothing interrupts code that blocks: it has to ask.
        if (self.cancelled()) throw std::system_error{ECANCELED, std::generic_category()};
        all.add(buffer.get(), count);
    }
    return all.hex();
}

}  // namespace

errand::awaitable<std::string> digest_file::perform(listed_file listed) {
    const auto& self = co_await errand::this_task();
    if (how_.slow.count() > 0) std::this_thread::sleep_for(how_.slow);
    const open_file file{decode_name(listed.name)};
    file.demand(listed);
    std::string digest = digest_of(file, self);
    file.demand(listed);
    co_return digest;
}

ERRAND_DEFINE_HANDLER(digest_file)

int work(const work_options& how) {
    errand::app app{shared_store()};
    app.provide<reading>(how.slow);
    keep_ledger(app, how.ledger);
    return app.run();
}
