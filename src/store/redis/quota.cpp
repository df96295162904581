// What the quota of a namespace lets through.
#include "store/redis/shard_store.hpp"

namespace errand::redis {

awaitable<quota_answer> shard_store::take_quota(quota_ask ask) {
    script_call call{script_name::quota_take, keys_};
    call.key(keys_.quota());
    const auto number_or_none = [&](const std::optional<std::int64_t>& value) {
        if (value) {
            call.arg(*value);
        } else {
            call.arg(std::string_view{});
        }
    };
    call.arg(ask.count);
    call.arg(ask.whole ? 1 : 0);
    number_or_none(ask.max_queued);
    number_or_none(ask.counted);
    call.arg(quota_count_lasts);
    if (ask.rate) {
        call.arg(bucket_of(*ask.rate));
        call.arg(ask.rate->count);
        call.arg(ask.rate->per.count() * 1000);
    }
    reply answer;
    reply_reader in{answer};
    // A full Redis takes no task either.
    co_await this->ask(call, answer, in, caller::when_full::fail);
    quota_answer got;
    got.admitted = in.number();
    got.why = static_cast<quota_answer::kept_by>(in.number());
    got.queued = in.number();
    got.opens_in = in.number();
    co_return got;
}

}  // namespace errand::redis
