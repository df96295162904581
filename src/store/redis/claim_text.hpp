// How a claim is known in Redis: by its number and the mark of the process that made it. Two primaries may give the same
// number when one knows nothing of what the other did last and its clock is behind; the marks differ, and a process is given
// no number that it has seen.
#pragma once

#include "store/store.hpp"

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

namespace errand::redis {

// A colon and eight hexadecimal digits.
std::string_view process_mark();
std::string claim_text(claim_number claim);

// Claims of other processes that are spoken of here.
class strange_claims {
public:
    // `mark`: as process_mark(), without its colon.
    void know(claim_number claim, std::string_view mark);
    // Of any claim: by the mark that it was said to have, else by that of this process.
    std::string text_of(claim_number claim) const;

private:
    // The latest, and those before them.
    std::unordered_map<claim_number, std::string> marks_, older_;
};

// The greatest claim number that this process has seen of a shard, which `of` names; shared by all who ask for it.
class seen_claims {
public:
    explicit seen_claims(const std::string& of);

    claim_number greatest() const noexcept { return greatest_->load(std::memory_order_relaxed); }
    void saw(claim_number claim) noexcept {
        auto before = greatest();
        while (before < claim && !greatest_->compare_exchange_weak(before, claim)) {
        }
    }

private:
    std::shared_ptr<std::atomic<claim_number>> greatest_;
};

}  // namespace errand::redis
