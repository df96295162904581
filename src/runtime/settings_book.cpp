#include "runtime/settings_book.hpp"

#include <errand/error.hpp>

#include "core/quota_rules.hpp"

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

std::shared_ptr<const quota> quota_in(const std::string& record) {
    try {
        auto read = decode_quota(record);
        if (is_nothing(read.rules)) return nullptr;
        return std::make_shared<const quota>(std::move(read.rules));
    } catch (const bad_data&) {
        return nullptr;
    }
}

std::shared_ptr<const run_time_limits> limits_in(const std::string& record) {
    try {
        auto read = decode_run_time_limits(record);
        if (read.names.empty()) return nullptr;
        return std::make_shared<const run_time_limits>(std::move(read));
    } catch (const bad_data&) {
        return nullptr;
    }
}

}  // namespace

std::shared_ptr<const handler_settings> settings_book::find(std::string_view name) const {
    for (const auto& shard : shards_) {
        const auto at = shard.handlers.find(name);
        if (at != shard.handlers.end()) return at->second;
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

std::vector<std::string> settings_book::paused() const {
    std::vector<std::string> names;
    if (!any()) return names;
    {
        const std::lock_guard lock{guard_};
        for (const auto& shard : shards_) {
            for (const auto& [name, set] : shard.handlers) {
                if (set->paused) names.push_back(name);
            }
        }
    }
    // A handler's tasks may be of any of its names, and what is set of it too.
    for (const auto* one : handlers::all()) {
        if (!is_paused(one->name)) continue;
        names.push_back(one->name);
        names.insert(names.end(), one->policy.aliases.begin(), one->policy.aliases.end());
    }
    return names;
}

std::shared_ptr<const quota> settings_book::quota_rules() const {
    if (!any_quota()) return nullptr;
    const std::lock_guard lock{guard_};
    const auto at =
        std::ranges::find_if(shards_, [](const page& one) { return one.of_name_space != nullptr; });
    return at == shards_.end() ? nullptr : at->of_name_space;
}

std::shared_ptr<const run_time_limits> settings_book::limits() const {
    if (!any_limits()) return nullptr;
    const std::lock_guard lock{guard_};
    const auto at = std::ranges::find_if(shards_, [](const page& one) { return one.limits != nullptr; });
    return at == shards_.end() ? nullptr : at->limits;
}

std::shared_ptr<const settings_book::records> settings_book::others() const {
    const std::lock_guard lock{guard_};
    return others_;
}

bool settings_book::has_heard() const {
    const std::lock_guard lock{guard_};
    return heard_ != 0;
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
            shards_[shard] = {};
            for (auto& one : *answer[shard]) {
                if (one.handler == quota_record_name) {
                    shards_[shard].of_name_space = quota_in(one.record);
                } else if (one.handler == run_time_limits_record_name) {
                    shards_[shard].limits = limits_in(one.record);
                } else if (is_no_handler(one.handler)) {
                    shards_[shard].others.emplace(std::move(one.handler), std::move(one.record));
                } else if (auto set = settings_in(one.record)) {
                    shards_[shard].handlers.emplace(std::move(one.handler), std::move(set));
                }
            }
        }
        any_ = std::ranges::any_of(shards_, [](const page& one) { return !one.handlers.empty(); });
        any_quota_ =
            std::ranges::any_of(shards_, [](const page& one) { return one.of_name_space != nullptr; });
        any_limits_ = std::ranges::any_of(shards_, [](const page& one) { return one.limits != nullptr; });
        records all;
        for (const auto& shard : shards_) all.insert(shard.others.begin(), shard.others.end());
        if (all != *others_) others_ = std::make_shared<const records>(std::move(all));
    }
    const std::lock_guard lock{telling_};
    if (told_) told_();
}

void settings_book::tell(std::function<void()> whom) {
    const std::lock_guard lock{telling_};
    told_ = std::move(whom);
}

}  // namespace errand
