// Requests that are counted by a name.
#include "store/redis/shard_store.hpp"

namespace errand::redis {

awaitable<std::string> shard_store::count_or_take_back(const request_count& of, std::string_view mark) {
    script_call call{script_name::requests, keys_};
    call.key(keys_.requests(of.name));
    call.arg(of.most);
    call.arg(of.per.count() * 1000);
    call.arg(mark);
    reply answer;
    reply_reader in{answer};
    co_await ask(call, answer, in);
    co_return std::string{in.text()};
}

awaitable<std::string> shard_store::count_request(request_count of) {
    co_return co_await count_or_take_back(of, {});
}

awaitable<void> shard_store::take_back_request(request_count of, std::string mark) {
    co_await count_or_take_back(of, mark);
}

}  // namespace errand::redis
