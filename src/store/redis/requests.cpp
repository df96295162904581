// Requests that are counted by a name.
#include "store/redis/shard_store.hpp"

namespace errand::redis {

// `mark`: of one that is taken back; 0: one is counted.
awaitable<request_answer> shard_store::count_or_take_back(const request_count& of, std::int64_t mark) {
    script_call call{script_name::requests, keys_};
    call.key(keys_.requests(of.name));
    call.arg(of.most);
    call.arg(of.per.count() * 1000);
    call.arg(entry_width(of));
    call.arg(mark);
    reply answer;
    reply_reader in{answer};
    co_await ask(call, answer, in, caller::when_full::fail);
    request_answer got;
    got.mark = in.number();
    got.opens_in = in.number();
    co_return got;
}

awaitable<request_answer> shard_store::count_request(request_count of) {
    co_return co_await count_or_take_back(of, 0);
}

awaitable<void> shard_store::take_back_request(request_count of, std::int64_t mark) {
    co_await count_or_take_back(of, mark);
}

}  // namespace errand::redis
