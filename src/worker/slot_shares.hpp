// Who may reserve the slots of a worker thread that serves several namespaces: what is free is shared by their weights. One that
// serves but one has none of it.
#pragma once

#include "core/fair_shares.hpp"
#include "worker/slot_pool.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace errand {

// Who reserves slots for a namespace.
enum class slot_user : std::uint8_t { fetcher = 1, adopter = 2 };

// On its loop's thread only.
class slot_shares {
public:
    // `told`: a namespace that may reserve some now.
    slot_shares(slot_pool& slots, const std::vector<int>& weights, std::function<void(std::size_t)> told)
        : slots_{slots}, shares_{weights}, wishes_(weights.size(), all_users), told_{std::move(told)} {}

    // How many it may reserve now.
    std::size_t free(std::size_t whose) const noexcept;
    void reserve(std::size_t whose, std::size_t count);
    // Whether it would reserve some; at first all would.
    void wants(std::size_t whose, slot_user by, bool some);
    // Slots may have become free.
    void look();

private:
    static constexpr unsigned all_users = 3;

    slot_pool& slots_;
    fair_shares shares_;
    std::vector<unsigned> wishes_;  // of each, the users that want some
    std::function<void(std::size_t)> told_;
};

// The slots of a thread as one namespace sees them.
class slot_share {
public:
    // All of them are its own.
    explicit slot_share(slot_pool& all) noexcept : all_{&all} {}
    slot_share(slot_pool& all, slot_shares& with, std::size_t whose) noexcept
        : all_{&all}, with_{&with}, whose_{whose} {}

    bool has_others() const noexcept { return with_ != nullptr; }
    std::size_t free() const noexcept { return with_ ? with_->free(whose_) : all_->free(); }
    std::size_t reserved() const noexcept { return all_->reserved(); }
    void reserve(std::size_t count) {
        if (with_) with_->reserve(whose_, count);
        all_->reserve(count);
    }
    void settle(std::size_t reserved, std::size_t used) {
        all_->settle(reserved, used);
        if (with_) with_->look();
    }
    void wants(slot_user by, bool some) {
        if (with_) with_->wants(whose_, by, some);
    }
    void look() {
        if (with_) with_->look();
    }

private:
    slot_pool* all_;
    slot_shares* with_ = nullptr;
    std::size_t whose_ = 0;
};

}  // namespace errand
