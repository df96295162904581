// Tasks that stand aside until somebody comes who knows their handler.
#include "store/redis/shard_store.hpp"

namespace errand::redis {

awaitable<adopt_answer> shard_store::adopt(const adopt_call& asked) {
    adopt_answer got;
    std::string from;
    do {
        script_call call{script_name::adopt, keys_};
        for (const auto& queue : asked.queues) call.queue(queue);
        begin(call, adopt_lane_);
        call.arg(std::string_view{settings_.name});
        call.arg(asked.limit);
        call.arg(asked.lease.count());
        call.own_arg(from);
        call.arg(process_mark());
        call.arg(seen_.greatest());
        call.own_arg(asked.all_but ? "1" : "0");
        for (const auto& handler : asked.handlers) call.arg(std::string_view{handler});
        reply answer;
        reply_reader in{answer};
        co_await ask(call, answer, in);
        const auto claim = read_claim(in);
        seen_.saw(claim);
        got.more = in.number() != 0;
        from = in.text();
        got.tasks = read_claimed(in, claim);
    } while (!from.empty() && !got.more && got.tasks.empty());
    // Of what was not looked at nothing is known.
    if (!from.empty()) got.more = true;
    co_return got;
}

}  // namespace errand::redis
