// The task: the SHA-256 of one file. Who submits it needs only this header; work.cpp has the code that runs.
#pragma once

#include <errand/errand.hpp>

#include <chrono>
#include <cstdint>
#include <string>

// A file as the walk has seen it. Size and time make the task's identity with the name: a file that has not
// changed since is answered from the result that is kept, and one that has changed is another task.
struct listed_file {
    std::string name;  // absolute, as encode_name writes it
    std::int64_t size = 0;
    std::int64_t modified_ns = 0;
};

// How the worker reads; `slow` makes every file take at least that long.
struct reading {
    std::chrono::milliseconds slow{0};
};

class digest_file {
public:
    explicit digest_file(const reading& how) : how_{how} {}
    // 64 hexadecimal digits. Throws errand::discard with the system's words when the file cannot be read.
    errand::awaitable<std::string> perform(listed_file file);
    static std::string biz_id(const listed_file& file);

private:
    const reading& how_;
};

// A worker that is killed costs its tasks an attempt each, and a big file takes its time.
ERRAND_DECLARE_HANDLER(
    digest_file, .name = "digest", .queue = "digest", .timeout = std::chrono::hours{24}, .max_retry = 10,
    .backoff = errand::backoff::exponential(std::chrono::seconds{1}, std::chrono::minutes{1}),
    .blocking = true)
