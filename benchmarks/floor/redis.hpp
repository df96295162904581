// One blocking connection to Redis whose commands are pipelined: what hiredis offers, with errors as exceptions.
#pragma once

#include <hiredis/hiredis.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace benchmark_floor {

// Anything that makes a measure worthless; its text is what the user reads.
struct failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct reply_deleter {
    void operator()(redisReply* of) const noexcept { freeReplyObject(of); }
};

// An answer, or an element of one: what is not of the kind asked for is a failure.
class reply {
public:
    explicit reply(redisReply* whole) : owned_{whole}, node_{whole} {}

    std::int64_t number() const;
    std::string_view text() const;
    std::size_t size() const;
    reply operator[](std::size_t at) const;
    bool is_null() const { return node_->type == REDIS_REPLY_NIL; }

private:
    struct element {};
    reply(element, const redisReply* node) : node_{node} {}

    std::unique_ptr<redisReply, reply_deleter> owned_;
    const redisReply* node_;
};

// The words of a command. Built again and again in the same memory.
class command {
public:
    command& start(std::string_view first);
    command& arg(std::string_view word);
    command& arg(std::int64_t number);

private:
    friend class connection;
    std::string text_;
    std::vector<std::size_t> sizes_;
    std::vector<const char*> words_;
};

class connection {
public:
    // To BENCH_SOCKET, or over TCP to BENCH_PORT at BENCH_HOST (127.0.0.1 unless given).
    static connection over_socket();
    static connection over_tcp();

    // Written by the next receive() that has to wait. The answers come in the order of the commands.
    void send(command& what);
    reply receive();
    reply call(command& what);
    // One command without spaces in its words.
    reply call(std::string_view line);
    // Loads a script and returns the digest by which it is called.
    std::string load(std::string_view script);

private:
    struct context_deleter {
        void operator()(redisContext* of) const noexcept { redisFree(of); }
    };
    explicit connection(redisContext* context);

    std::unique_ptr<redisContext, context_deleter> context_;
};

// An environment variable that benchmarks/README.md promises.
const char* environment(const char* name);
int environment_number(const char* name);

}  // namespace benchmark_floor
