// What is set of handlers, over several shards: of each handler in one of them.
#include "core/quota_record.hpp"
#include "core/settings_record.hpp"
#include "store/shards/sharded_store.hpp"

#include <algorithm>

namespace errand {

bool sharded_store::any_settings() const {
    return std::ranges::any_of(shards_, [](const auto& one) { return one->any_settings(); });
}

awaitable<settings_of_shards> sharded_store::settings() {
    auto answers = co_await those_there<settings_of_shards>([](store& in) { return in.settings(); });
    settings_of_shards all;
    for (auto& one : answers) {
        all.emplace_back();
        if (one) all.back() = std::move(one->front());
    }
    co_return all;
}

// Beside the rules that it is taken by.
awaitable<quota_answer> sharded_store::take_quota(quota_ask ask) {
    return owner(place_of_settings(quota_record_name)).take_quota(std::move(ask));
}

awaitable<request_answer> sharded_store::count_request(request_count of) {
    auto& in = owner(place_of_settings(of.name));
    return in.count_request(std::move(of));
}

awaitable<void> sharded_store::take_back_request(request_count of, std::int64_t mark) {
    auto& in = owner(place_of_settings(of.name));
    return in.take_back_request(std::move(of), mark);
}

awaitable<std::string> sharded_store::find_settings(std::string handler) {
    auto& in = owner(place_of_settings(handler));
    return in.find_settings(std::move(handler));
}

awaitable<bool> sharded_store::set_settings(settings_step step) {
    auto& in = owner(place_of_settings(step.handler));
    return in.set_settings(std::move(step));
}

}  // namespace errand
