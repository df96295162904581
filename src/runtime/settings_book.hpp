// What is set at run time of handlers and of the namespace, as this process knows it: asked for by loops that heard of a change,
// looked at for each task. From any thread; where nothing is set a look is one load.
#pragma once

#include "core/quota_record.hpp"
#include "core/run_time_limits.hpp"
#include "core/settings_record.hpp"
#include "runtime/handlers.hpp"
#include "store/settings_store.hpp"

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace errand {

class settings_book {
public:
    // Whether anything is set of any handler.
    bool any() const noexcept { return any_.load(std::memory_order_relaxed); }
    // Of this handler, or, when the program does not know it, of the one with this name. What is set of its name goes before
    // what is set of an alias. Null: nothing.
    std::shared_ptr<const handler_settings> of(const known_handler* known, std::string_view name) const;
    std::shared_ptr<const handler_settings> of(std::string_view name) const;
    bool is_paused(std::string_view name) const;
    // All names of the handlers that are; some twice.
    std::vector<std::string> paused() const;

    // Whether the namespace has a quota.
    bool any_quota() const noexcept { return any_quota_.load(std::memory_order_relaxed); }
    // Null: it has none.
    std::shared_ptr<const quota> quota_rules() const;
    // Whether any limit is set at run time for which tasks need gates that no policy asks for.
    bool any_limits() const noexcept { return any_limits_.load(std::memory_order_relaxed); }
    // Null: there is none.
    std::shared_ptr<const run_time_limits> limits() const;
    // What else is kept there, under names that no handler can have (core/quota_record.hpp): name to record.
    using records = std::map<std::string, std::string, std::less<>>;
    std::shared_ptr<const records> others() const;
    // Whether anybody has asked so far.
    bool has_heard() const;

    // Before the store is asked: an answer that comes after that of a later question counts no more.
    std::uint64_t ask();
    void heard(std::uint64_t question, settings_of_shards answer);

    // Called after each answer that counts, by whoever has it; null: nobody.
    void tell(std::function<void()> whom);

private:
    // What one shard keeps.
    struct page {
        std::map<std::string, std::shared_ptr<const handler_settings>, std::less<>> handlers;
        std::shared_ptr<const quota> of_name_space;
        std::shared_ptr<const run_time_limits> limits;
        records others;
    };

    std::shared_ptr<const handler_settings> find(std::string_view name) const;

    std::atomic<bool> any_{false};
    std::atomic<bool> any_quota_{false};
    std::atomic<bool> any_limits_{false};
    mutable std::mutex guard_;  // of what follows
    std::vector<page> shards_;
    std::shared_ptr<const records> others_ = std::make_shared<const records>();
    std::uint64_t asked_ = 0;
    std::uint64_t heard_ = 0;
    std::mutex telling_;  // of what follows
    std::function<void()> told_;
};

}  // namespace errand
