// submit and what belongs to it.
#include <errand/error.hpp>

#include "store/distinct_batch.hpp"
#include "store/redis/shard_store.hpp"
#include "store/redis/submit_runs.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <unordered_set>

namespace errand::redis {
namespace {

std::string_view word_of(submit_mode mode) {
    switch (mode) {
    case submit_mode::each: return "each";
    case submit_mode::all_or_nothing: return "all";
    case submit_mode::ask: return "ask";
    }
    return "each";
}

std::vector<submit_answer> read_answers(reply_reader& in, std::string_view word,
                                        std::span<const submission_item* const> items,
                                        std::vector<std::size_t>& tangled) {
    std::vector<submit_answer> answers(items.size());
    if (word == "rejected") {
        for (auto& answer : answers) answer.verdict = submit_verdict::withheld;
    } else {
        for (std::size_t at = 0; at < items.size(); ++at) answers[at].life = incarnation_of(items[at]->body);
    }
    while (!in.done()) {
        const auto index = static_cast<std::size_t>(in.number() - 1);
        auto& answer = answers.at(index);
        const auto said = in.text();
        const auto verdict = verdict_of(said);
        if (said == "tangled") tangled.push_back(index);
        const auto rest = in.text();
        // Of a batch that was refused whole only what refused it matters.
        const bool refused = verdict != submit_verdict::replaced && verdict != submit_verdict::registering;
        if (word == "rejected" && !refused) continue;
        if (verdict == submit_verdict::registering) {
            answer.verdict = verdict;
        } else if (verdict == submit_verdict::cycle || verdict == submit_verdict::gone) {
            answer = {verdict, 0, read_ids(rest)};
        } else {
            answer = {verdict, read_life(rest), {}};
        }
    }
    return answers;
}

// After a known biz_id was met more of them are likely.
constexpr unsigned new_ones_left_out = 64;
// What one command in a script can take, with room to spare.
constexpr std::size_t most_new = 2000;
// Names of queues in which nothing happened for three times as long are forgotten (scripts/sweep_counts.lua).
constexpr duration names_again_after{600'000};

// The last halves of ids are compared as numbers, which is quicker than to look each id up. Two may have the same one by chance, or
// because they are the same.
bool are_distinct(std::span<const submission_item> items) {
    constexpr std::size_t from = 8;
    if (items.size() < 2) return true;
    std::vector<std::uint64_t> ends(items.size());
    for (std::size_t at = 0; at < items.size(); ++at)
        std::memcpy(&ends[at], items[at].id.bytes.data() + from, sizeof(std::uint64_t));
    std::ranges::sort(ends);
    if (std::ranges::adjacent_find(ends) == ends.end()) return true;
    std::unordered_set<task_id> once;
    return std::ranges::all_of(items, [&once](const auto& item) { return once.insert(item.id).second; });
}

// What scripts/submit_new.lua is for. One id twice is not: each would be put into the queue.
bool may_be_new(std::span<const submission_item> items, bool known_biz_ids) {
    if (items.size() > most_new) return false;
    for (const auto& item : items) {
        if (!is_plain(item) || item.queue != items.front().queue) return false;
        if (known_biz_ids && has_biz_id(item.body)) return false;
    }
    return are_distinct(items);
}

bool ends_another(const submission_item& item) { return item.instead_of.has_value(); }

}  // namespace

void shard_store::forget_registered() {
    registered_.clear();
    ++times_forgotten_;
}

// Writes nothing when an id is held, or the shard does not know the lane.
awaitable<shard_store::tried> shard_store::submit_new(std::size_t lane_at,
                                                      std::span<const submission_item> items) {
    const auto queue = keys_.of_queue(items.front().queue);
    const std::array<std::string_view, 10> only{
        keys_.tasks(), keys_.lanes(),  queue[0],       queue[1],        queue[3],
        keys_.own(),   keys_.leases(), keys_.claims(), keys_.control(), keys_.stale()};
    script_call call{script_name::submit_new, only, keys_.in_cluster()};
    begin(call, submit_lane(lane_at));
    for (const auto& item : items) {
        call.arg(item.id.view());
        call.arg(std::string_view{item.body});
    }
    reply answer;
    reply_reader in{answer};
    const auto head = co_await ask(call, answer, in, caller::when_full::fail);
    co_return head.word == "ok" ? tried::written : head.word == "held" ? tried::held : tried::strange;
}

awaitable<void> shard_store::untangle(const task_id& id) {
    constexpr std::size_t edges_per_call = 200;
    for (bool more = true; more;) {
        script_call call{script_name::untangle, keys_};
        call.arg(id.view());
        call.arg(edges_per_call);
        reply answer;
        reply_reader in{answer};
        const auto head = co_await ask(call, answer, in);
        more = head.word == "more";
    }
}

// A queue is named where it is seen although no worker serves it: by the first submission to it that a connection makes.
bool shard_store::all_registered(std::span<const submission_item> items) const {
    const std::string* last = nullptr;
    for (const auto& item : items) {
        if (last && *last == item.queue) continue;
        last = &item.queue;
        if (!registered_.contains(item.queue)) return false;
    }
    return true;
}

// Each that ends another task by itself, those between them together.
awaitable<std::vector<submit_answer>> shard_store::submit_apart(std::size_t lane_at,
                                                                std::span<const submission_item> items,
                                                                submit_mode mode) {
    std::vector<submit_answer> all;
    while (!items.empty()) {
        const auto next = std::ranges::find_if(items, ends_another);
        const auto count = std::max<std::size_t>(static_cast<std::size_t>(next - items.begin()), 1);
        auto answers = co_await submit(lane_at, items.first(count), mode);
        std::ranges::move(answers, std::back_inserter(all));
        items = items.subspan(count);
    }
    co_return all;
}

awaitable<std::vector<submit_answer>> shard_store::submit(std::size_t lane_at,
                                                          std::span<const submission_item> items,
                                                          submit_mode mode) {
    if (items.empty()) co_return std::vector<submit_answer>{};
    const bool ends = std::ranges::any_of(items, ends_another);
    if (ends && items.size() > 1) co_return co_await submit_apart(lane_at, items, mode);
    know(items.front().queue);
    if (now() < registered_since_ || now() - registered_since_ >= names_again_after) {
        forget_registered();
        registered_since_ = now();
    }
    // A lane's first call makes it known.
    bool registered = submit_lane(lane_at).number > 0 && all_registered(items);
    if (registered && mode != submit_mode::ask && may_be_new(items, held_lately_ > 0)) {
        const auto end = co_await submit_new(lane_at, items);
        if (end == tried::written) {
            std::vector<submit_answer> answers(items.size());
            for (std::size_t at = 0; at < items.size(); ++at)
                answers[at].life = incarnation_of(items[at].body);
            co_return answers;
        }
        registered = end == tried::held;
        if (registered)
            held_lately_ = new_ones_left_out;
        else
            forget_registered();
    } else if (held_lately_ > 0) {
        --held_lately_;
    }
    const distinct_batch batch{items};
    const bool all = mode != submit_mode::each;
    if (all) {
        if (auto refused = batch.own_refusal(items)) co_return std::move(*refused);
    }
    // A question ends nothing.
    const auto* other = ends && mode != submit_mode::ask ? &*items.front().instead_of : nullptr;
    script_call call{other ? script_name::submit_instead : script_name::submit, keys_};
    begin(call, submit_lane(lane_at));
    call.arg(word_of(mode));
    call.arg(std::string_view{registered ? "0" : "1"});
    add_runs(call, batch.sent());
    if (other) {
        call.arg(other->id.view());
        call.own_arg(life_bytes(other->life));
        call.arg(std::string_view{other->outcome});
    }
    if (std::ranges::any_of(items, &submission_item::may_come_again)) call.key(keys_.arrived());

    reply answer;
    reply_reader in{answer};
    const auto forgotten = times_forgotten_;
    const auto head = co_await ask(call, answer, in, caller::when_full::fail);
    // Unless the names may have been lost since.
    const bool named = !registered && head.word == "ok" && mode != submit_mode::ask;
    for (const auto& item : items) {
        if (named && forgotten == times_forgotten_) registered_.insert(item.queue);
    }
    std::vector<std::size_t> tangled;
    const auto answers = read_answers(in, head.word, batch.sent(), tangled);
    for (const auto at : tangled) co_await untangle(batch.sent()[at]->id);
    co_return batch.answers(items, answers);
}

awaitable<void> shard_store::forget(std::span<const delivered_task> tasks) {
    if (tasks.empty()) co_return;
    const auto key = keys_.arrived();
    const std::array<std::string_view, 1> only{key};
    script_call call{script_name::forget, only};
    for (const auto& one : tasks) {
        std::string member{one.id.view()};
        call.own_arg(member + life_bytes(one.life));
    }
    reply answer;
    reply_reader in{answer};
    co_await ask(call, answer, in);
}

}  // namespace errand::redis
