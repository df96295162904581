#include "client/deliver.hpp"

#include <errand/error.hpp>

#include "client/prepared_submission.hpp"
#include "client/settle_submission.hpp"
#include "runtime/parent_links.hpp"

#include <algorithm>
#include <unordered_set>

namespace errand {

namespace {

time_point accepted_at(const submission_item& item) {
    return time_point{duration{static_cast<std::int64_t>(incarnation_of(item.body) >> 16U)}};
}

// Its time to be started in goes on while it is on its way.
void shorten_expiry(submission_item& item, time_point now) {
    if (!item.expires_after) return;
    const auto from = item.at.value_or(accepted_at(item));
    if (from < now) item.expires_after = std::max(from + *item.expires_after - now, duration{0});
}

std::exception_ptr refusal_of(const submission_item& item, const submit_answer& answer) {
    if (answer.verdict != submit_verdict::rejected) return nullptr;
    const auto body = decode_body(item.body);
    return refusal(answer, item.id, body.handler, body.biz_id, item.conflict);
}

awaitable<delivered_item> finished(loop& there, submission_item item, submit_answer first) {
    delivered_item got;
    got.answer = co_await settle_submission(there, item, std::move(first));
    if (got.answer.others.empty()) {
        got.refused = refusal_of(item, got.answer);
        co_return got;
    }
    const auto body = decode_body(item.body);
    task_names known{{item.id, name_of(item.id, body.handler, body.biz_id)}};
    got.refused = co_await dependency_refusal(there.tasks(), got.answer, std::move(known));
    co_return got;
}

// Each id once: what the store answers is then about the item itself.
awaitable<void> deliver_group(loop& there, std::vector<submission_item> items,
                              std::vector<delivered_item>& into) {
    const auto first = into.size();
    into.resize(first + items.size());
    auto got = co_await there.submissions().submit_group(std::move(items), submit_mode::each);
    for (const auto& failure : got.failures) {
        if (failure) std::rethrow_exception(failure);
    }
    for (std::size_t i = 0; i < got.items.size(); ++i) {
        auto& one = into[first + i];
        one.answer = std::move(got.answers[i]);
        if (is_unsettled(one.answer)) {
            one = co_await finished(there, got.items[i], std::move(one.answer));
        } else {
            one.refused = refusal_of(got.items[i], one.answer);
        }
    }
}

}  // namespace

awaitable<std::vector<delivered_item>> deliver(loop& there, std::vector<submission_item> items) {
    std::vector<delivered_item> all;
    std::vector<submission_item> group;
    std::unordered_set<task_id> ids;
    const bool many_shards = there.tasks().shards() > 1;
    for (auto& item : items) {
        shorten_expiry(item, there.tasks().now());
        const bool looks_first = many_shards && !item.after.empty();
        if (looks_first || !ids.insert(item.id).second) {
            if (!group.empty()) co_await deliver_group(there, std::exchange(group, {}), all);
            ids.clear();
        }
        if (looks_first) {
            auto answer = co_await foreseen_refusal(there.tasks(), item);
            if (!answer) answer = co_await there.submissions().submit(item);
            all.push_back(co_await finished(there, std::move(item), std::move(*answer)));
            continue;
        }
        ids.insert(item.id);
        group.push_back(std::move(item));
    }
    if (!group.empty()) co_await deliver_group(there, std::move(group), all);
    co_return all;
}

}  // namespace errand
