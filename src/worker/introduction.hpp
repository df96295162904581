// What a worker says of itself when it begins: what it works on, and what of its settings is probably not meant.
#pragma once

#include "worker/worker_shared.hpp"

#include <string>
#include <vector>

namespace errand {

// "worker host:12:ab on redis://host:6379, namespace default, serves mail:3, default:1 with 2 handlers (a, b), 100 tasks at
// once". No password is in it.
std::string introduction_of(const worker_shared& shared);

// A sentence for each queue that it serves and no handler of the program has.
std::vector<std::string> doubts_of(const worker_shared& shared);

}  // namespace errand
