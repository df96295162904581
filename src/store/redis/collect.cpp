// What waits in a bundle.
#include "store/redis/shard_store.hpp"

namespace errand::redis {

awaitable<bundle_page> shard_store::bundle(const task_id& carrier, const std::optional<task_id>& after) {
    script_call call{script_name::bundle, keys_};
    call.arg(carrier.view());
    call.arg(after ? after->view() : std::string_view{});
    call.arg(most_bytes_per_call);
    reply answer;
    reply_reader in{answer};
    co_await ask(call, answer, in);
    bundle_page got;
    if (const auto last = in.text(); !last.empty()) got.last = read_id(last);
    got.more = in.number() != 0;
    while (!in.done()) {
        bundle_item one{.id = read_id(in.text())};
        one.place = in.number();
        one.body = in.text();
        one.notes = in.text();
        got.items.push_back(std::move(one));
    }
    co_return got;
}

}  // namespace errand::redis
