#include "store/shards/claim_turns.hpp"

#include <algorithm>
#include <utility>

namespace errand::shards {

namespace {

// So many tasks make it worth to ask another shard at the same time.
constexpr std::size_t worth_a_shard = 32;
constexpr unsigned claims_with_one = 16;
// For so long a shard may be left alone, for each shard that there is: a worker with work from one spends less on looking at
// the others than on that work, and comes by at each of 64 within two seconds.
constexpr std::chrono::milliseconds left_alone_for{25};

}  // namespace

claim_turns::claim_turns(std::size_t shards) : all_(shards) {}

void claim_turns::woken(std::size_t shard) {
    auto& one = all_[shard];
    one.waits = false;
    one.likely = true;
    ++one.changes;
    // There is something: asked first, it is found with one call.
    first_ = shard;
}

void claim_turns::put_off(std::size_t shard) {
    all_[shard].waits = false;
    ++all_[shard].changes;
}

unsigned claim_turns::asks(std::size_t shard, instant now) {
    auto& one = all_[shard];
    one.waits = false;
    one.asked = now;
    one.due.reset();
    return one.changes;
}

void claim_turns::answered(std::size_t shard, unsigned asked_as, bool filled, std::optional<due_time> due) {
    auto& one = all_[shard];
    const bool known = one.changes == asked_as;
    one.likely = filled || !known;
    one.waits = !filled && known;
    one.due = due;
}

void claim_turns::waits_nowhere() {
    for (auto& one : all_) {
        one.waits = false;
        one.due.reset();
        ++one.changes;
    }
}

bool claim_turns::waits(std::size_t shard, instant now) const {
    const auto& one = all_[shard];
    return one.waits && !(one.due && one.due->when <= now);
}

bool claim_turns::is_overdue(std::size_t shard, instant now) const {
    return now - all_[shard].asked >= left_alone_for * static_cast<int>(all_.size());
}

std::optional<time_point> claim_turns::next_due(instant now) {
    place* first = nullptr;
    for (auto& one : all_) {
        const bool counts = one.due && (one.due->when > now || one.told != one.due->theirs);
        if (counts && (!first || one.due->when < first->due->when)) first = &one;
    }
    if (!first) return std::nullopt;
    first->told = first->due->theirs;
    return first->due->at;
}

void claim_turns::begin() {
    if (++claims_ % claims_with_one != 0) return;
    for (std::size_t i = 0; i < all_.size() && !all_[first_].likely; ++i) first_ = (first_ + 1) % all_.size();
    first_ = (first_ + 1) % all_.size();
}

claim_shares::claim_shares(claim_turns& turns, std::size_t limit, bool trusts_wakes, claim_turns::instant now)
    : turns_{turns}, now_{now}, stands_(turns.shards(), stand::untried), left_{limit} {
    if (limit == 0) return;
    turns.begin();
    for (std::size_t at = 0; trusts_wakes && at < stands_.size(); ++at) {
        if (!turns.waits(at, now)) continue;
        stands_[at] = stand::out;
        skipped_ = true;
    }
}

claim_shares::claim_shares(claim_turns& turns, std::size_t limit)
    : turns_{turns},
      now_{},
      stands_(turns.shards(), stand::untried),
      left_{limit},
      alike_{true},
      first_{turns.next_in_turn()} {}

std::vector<std::size_t> claim_shares::next() {
    if (left_ == 0) return {};
    const auto asked = to_ask();
    if (asked.empty()) return {};
    std::vector<std::size_t> shares(stands_.size(), 0);
    const auto more = left_ % asked.size();
    for (std::size_t i = 0; i < asked.size(); ++i)
        shares[asked[i]] = left_ / asked.size() + (i < more ? 1 : 0);
    return shares;
}

void claim_shares::took(std::size_t shard, std::size_t asked, std::size_t got) {
    left_ -= got;
    stands_[shard] = got < asked ? stand::out : stand::filled;
}

// In the order in which their turn comes.
template <class Wanted>
std::vector<std::size_t> claim_shares::those(Wanted wanted) const {
    std::vector<std::size_t> some;
    for (std::size_t i = 0; i < stands_.size(); ++i) {
        const auto at = (first() + i) % stands_.size();
        if (wanted(at)) some.push_back(at);
    }
    return some;
}

// Those that were left alone for long, the longest first.
std::vector<std::size_t> claim_shares::overdue() const {
    auto some = those([this](std::size_t at) {
        return stands_[at] == stand::untried && !turns_.waits(at, now_) && turns_.is_overdue(at, now_);
    });
    std::ranges::stable_sort(some, {}, [this](std::size_t at) { return turns_.asked_at(at); });
    return some;
}

// As many that have something as fill calls of a useful size.
std::vector<std::size_t> claim_shares::likely(const std::vector<std::size_t>& besides) const {
    auto some = those([&](std::size_t at) {
        return stands_[at] == stand::untried && turns_.is_likely(at) &&
               std::ranges::find(besides, at) == besides.end();
    });
    some.resize(std::min(some.size(), std::max<std::size_t>(1, left_ / worth_a_shard)));
    return some;
}

// Whoever has just filled its share has more, as likely as not; then those that may have some; then all.
std::vector<std::size_t> claim_shares::to_ask() {
    const auto untried = [this](std::size_t at) { return stands_[at] == stand::untried; };
    std::vector<std::size_t> some;
    if (!alike_) some = overdue();
    if (!std::exchange(begun_, true)) {
        const auto others = alike_ ? those(untried) : likely(some);
        some.insert(some.end(), others.begin(), others.end());
    }
    if (some.empty()) some = those([this](std::size_t at) { return stands_[at] == stand::filled; });
    if (some.empty() && !alike_)
        some = those([&](std::size_t at) { return untried(at) && turns_.is_likely(at); });
    if (some.empty()) some = those(untried);
    return some;
}

}  // namespace errand::shards
