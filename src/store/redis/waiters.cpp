// Who waits at limits.
#include "core/gates.hpp"
#include "store/redis/shard_store.hpp"

namespace errand::redis {

awaitable<std::vector<gate_waiters>> shard_store::waiting_at(std::string name, std::size_t most) {
    script_call call{script_name::limits_waiting, keys_};
    call.own_arg(limit_number(name));
    call.arg(most);
    reply answer;
    reply_reader in{answer};
    co_await ask(call, answer, in);
    std::vector<gate_waiters> all;
    while (!in.done()) {
        gate_waiters one;
        one.key = in.text();
        one.waiting = in.number();
        one.first = read_id(in.text());
        all.push_back(std::move(one));
    }
    co_return all;
}

}  // namespace errand::redis
