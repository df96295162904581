// What is set of handlers at run time: records by compare-and-set.
#include "core/import_record.hpp"
#include "core/sha256.hpp"
#include "store/redis/shard_store.hpp"

namespace errand::redis {

// What was told of before is not told again.
void shard_store::hear_of_settings(std::string_view version) {
    if (version == settings_seen_) return;
    settings_seen_ = version;
    if (listener_) listener_->settings_changed();
}

awaitable<settings_of_shards> shard_store::settings() {
    script_call call{script_name::settings_find, keys_};
    call.key(keys_.settings());
    call.arg(std::string_view{});
    reply answer;
    reply_reader in{answer};
    co_await ask(call, answer, in);
    settings_seen_ = in.text();
    std::vector<kept_settings> all;
    while (!in.done()) {
        kept_settings one{.handler = std::string{in.text()}, .record = {}};
        one.record = in.text();
        all.push_back(std::move(one));
    }
    settings_of_shards got;
    got.push_back(std::move(all));
    co_return got;
}

awaitable<std::string> shard_store::find_settings(std::string handler) {
    script_call call{script_name::settings_find, keys_};
    call.key(keys_.settings());
    call.arg(std::string_view{handler});
    reply answer;
    reply_reader in{answer};
    co_await ask(call, answer, in);
    in.text();  // the version
    in.text();
    co_return std::string{in.text()};
}

awaitable<bool> shard_store::set_settings(settings_step step) {
    script_call call{script_name::settings_set, keys_};
    call.key(keys_.settings());
    call.arg(std::string_view{step.handler});
    call.own_arg(step.seen == 0 ? std::string{} : eight_bytes(step.seen));
    call.arg(std::string_view{step.record});
    if (is_kept_quietly(step.handler)) call.arg(std::string_view{"quiet"});
    reply answer;
    reply_reader in{answer};
    co_await ask(call, answer, in, caller::when_full::fail);
    co_return in.number() == 1;
}

}  // namespace errand::redis
