// What a worker says of itself when it begins: what it works on, and what of its settings is probably not meant.
#pragma once

#include "worker/worker_shared.hpp"

#include <string>
#include <vector>

namespace errand {

// "worker host:12:ab on redis://host:6379, namespace default, serves mail:3, default:1 with 2 handlers (a, b), 100 tasks at
// once"; or "namespaces mail:1, shop:3". No password is in it.
std::string introduction_of(const worker_shares& served);

// A sentence for each queue that it serves and no handler of the program has, and one where what the program submits is in a
// namespace that it does not serve.
std::vector<std::string> doubts_of(const worker_shares& served);

}  // namespace errand
