#include "runtime/settings_book.hpp"

#include <errand/error.hpp>

#include <algorithm>

namespace errand {

namespace {

// What cannot be read is as if it were not set; whoever looks at that handler's settings is told.
std::shared_ptr<const handler_settings> settings_in(const std::string& record) {
    try {
        auto read = decode_settings(record);
        if (is_nothing(read.values)) return nullptr;
        return std::make_shared<const handler_settings>(std::move(read.values));
    } catch (const bad_data&) {
        return nullptr;
    }
}

}  // namespace

std::shared_ptr<const handler_settings> settings_book::find(std::string_view name) const {
    for (const auto& shard : shards_) {
        const auto at = shard.find(name);
        if (at != shard.end()) return at->second;
    }
    return nullptr;
}

std::shared_ptr<const handler_settings> settings_book::of(const known_handler* known,
                                                          std::string_view name) const {
    if (!any()) return nullptr;
    const std::lock_guard lock{guard_};
    if (!known) return find(name);
    if (auto found = find(known->name)) return found;
    for (const auto& alias : known->policy.aliases) {
        if (auto found = find(alias)) return found;
    }
    return nullptr;
}

std::shared_ptr<const handler_settings> settings_book::of(std::string_view name) const {
    return any() ? of(handlers::find(name), name) : nullptr;
}

bool settings_book::is_paused(std::string_view name) const {
    const auto set = of(name);
    return set && set->paused;
}

std::uint64_t settings_book::ask() {
    const std::lock_guard lock{guard_};
    return ++asked_;
}

// Of a shard that does not answer what it said before goes on.
void settings_book::heard(std::uint64_t question, settings_of_shards answer) {
    {
        const std::lock_guard lock{guard_};
        if (question < heard_) return;
        heard_ = question;
        shards_.resize(answer.size());
        for (std::size_t shard = 0; shard < answer.size(); ++shard) {
            if (!answer[shard]) continue;
            shards_[shard].clear();
            for (auto& one : *answer[shard]) {
                if (auto set = settings_in(one.record))
                    shards_[shard].emplace(std::move(one.handler), std::move(set));
            }
        }
        any_ = std::ranges::any_of(shards_, [](const page& one) { return !one.empty(); });
    }
    const std::lock_guard lock{telling_};
    if (told_) told_();
}

void settings_book::tell(std::function<void()> whom) {
    const std::lock_guard lock{telling_};
    told_ = std::move(whom);
}

}  // namespace errand
