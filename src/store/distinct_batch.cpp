#include "store/distinct_batch.hpp"

#include <unordered_map>

namespace errand {
namespace {

submit_verdict after(submit_verdict first, on_conflict conflict) {
    if (first == submit_verdict::withheld || first == submit_verdict::cycle ||
        first == submit_verdict::gone || first == submit_verdict::busy) {
        return first;
    }
    if (keeps_holder(conflict)) return submit_verdict::duplicate;
    if (conflict == on_conflict::reject || first == submit_verdict::rejected) return submit_verdict::rejected;
    return submit_verdict::replaced;
}

}  // namespace

distinct_batch::distinct_batch(std::span<const submission_item> items) {
    std::unordered_map<task_id, std::size_t> indexes;
    for (const auto& item : items) {
        const auto [known, fresh] = indexes.try_emplace(item.id, sent_.size());
        sent_at_.push_back(known->second);
        repeats_.push_back(!fresh);
        if (fresh) {
            sent_.push_back(&item);
        } else if (item.conflict == on_conflict::replace) {
            replace(sent_[known->second], item);
        } else if (item.conflict == on_conflict::reject) {
            rejects_ = true;
        }
    }
}

std::optional<std::vector<submit_answer>> distinct_batch::own_refusal(
    std::span<const submission_item> items) const {
    if (!rejects_) return std::nullopt;
    const std::vector<submit_answer> withheld(sent_.size(), {submit_verdict::withheld, 0});
    auto spread = answers(items, withheld);
    for (std::size_t at = 0; at < items.size(); ++at) {
        if (repeats_[at] && items[at].conflict == on_conflict::reject)
            spread[at].verdict = submit_verdict::rejected;
    }
    return spread;
}

std::vector<submit_answer> distinct_batch::answers(std::span<const submission_item> items,
                                                   std::span<const submit_answer> sent) const {
    std::vector<submit_answer> all;
    for (std::size_t at = 0; at < items.size(); ++at) {
        auto answer = sent[sent_at_[at]];
        if (repeats_[at]) {
            answer.verdict = after(answer.verdict, items[at].conflict);
        } else if (keeps_holder(items[at].conflict) && (answer.verdict == submit_verdict::replaced ||
                                                        answer.verdict == submit_verdict::rejected)) {
            answer.verdict = submit_verdict::duplicate;
        }
        all.push_back(answer);
    }
    return all;
}

void distinct_batch::replace(const submission_item*& earlier, const submission_item& later) {
    auto& merged = replaced_.emplace_back(later);
    // The task keeps the life under which its first submission knows it.
    merged.body.replace(task_body::incarnation_offset, 8, earlier->body, task_body::incarnation_offset, 8);
    if (earlier->conflict == on_conflict::reject) merged.conflict = on_conflict::reject;
    earlier = &merged;
}

}  // namespace errand
