// A batch of submissions in which each id stands once: what a later item of the same id would do to an earlier one is done
// here, so that a store decides about each id once. Pure.
#pragma once

#include "store/store.hpp"

#include <deque>
#include <optional>
#include <span>
#include <vector>

namespace errand {

class distinct_batch {
public:
    explicit distinct_batch(std::span<const submission_item> items);

    const std::vector<const submission_item*>& sent() const noexcept { return sent_; }

    // Of a batch that is submitted whole or not at all, when it refuses itself: the answers to all its items.
    std::optional<std::vector<submit_answer>> own_refusal(std::span<const submission_item> items) const;

    // Spreads the answers to what was sent over all items.
    std::vector<submit_answer> answers(std::span<const submission_item> items,
                                       std::span<const submit_answer> sent) const;

private:
    void replace(const submission_item*& earlier, const submission_item& later);

    std::vector<const submission_item*> sent_;
    std::vector<std::size_t> sent_at_;
    std::vector<bool> repeats_;
    std::deque<submission_item> replaced_;
    bool rejects_ = false;
};

}  // namespace errand
