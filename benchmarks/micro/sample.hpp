// What is measured with: the task of all benchmarks, as its submitter and its worker see it.
#pragma once

#include <errand/awaitable.hpp>
#include <errand/detail/wire.hpp>

#include "core/record.hpp"

#include <cstdint>
#include <string>

namespace benchmark_micro {

struct item {
    std::int64_t id = 0;
    std::string name = "abcdefgh";
};

struct handler {
    errand::awaitable<void> perform(item what);
};

// As a submission without options makes it.
inline errand::task_body sample_body(std::int64_t id = 123'456) {
    errand::task_body body;
    body.life = 0x0198'c5d2'0000'0001;
    body.queue = "default";
    body.handler = "nop";
    body.args = errand::detail::encode_call<handler>(item{id}).args;
    return body;
}

// A benchmark of something that does not work measures nothing: said aloud, the program ends.
void require(bool works, const char* what);

}  // namespace benchmark_micro
