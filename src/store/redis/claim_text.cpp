#include "store/redis/claim_text.hpp"

#include <array>
#include <cstdio>
#include <map>
#include <mutex>
#include <random>
#include <utility>

namespace errand::redis {

std::string_view process_mark() {
    static const std::string mark = [] {
        std::array<char, 16> text{};
        std::snprintf(text.data(), text.size(), ":%08x", static_cast<unsigned>(std::random_device{}()));
        return std::string{text.data()};
    }();
    return mark;
}

std::string claim_text(claim_number claim) { return std::to_string(claim).append(process_mark()); }

void strange_claims::know(claim_number claim, std::string_view mark) {
    constexpr std::size_t most = 50'000;
    if (mark == process_mark().substr(1)) {
        marks_.erase(claim);
        older_.erase(claim);
        return;
    }
    if (marks_.size() >= most) {
        older_ = std::move(marks_);
        marks_ = {};
    }
    marks_.insert_or_assign(claim, std::string{':'}.append(mark));
}

std::string strange_claims::text_of(claim_number claim) const {
    if (const auto at = marks_.find(claim); at != marks_.end()) return std::to_string(claim) + at->second;
    if (const auto at = older_.find(claim); at != older_.end()) return std::to_string(claim) + at->second;
    return claim_text(claim);
}

seen_claims::seen_claims(const std::string& of) {
    static std::mutex guard;
    static std::map<std::string, std::weak_ptr<std::atomic<claim_number>>> known;
    const std::lock_guard lock{guard};
    std::erase_if(known, [](const auto& one) { return one.second.expired(); });
    auto& mine = known[of];
    greatest_ = mine.lock();
    if (!greatest_) mine = greatest_ = std::make_shared<std::atomic<claim_number>>(0);
}

}  // namespace errand::redis
