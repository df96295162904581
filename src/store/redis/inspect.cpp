// What is asked and done by those who look after the tasks of a shard.
#include <errand/error.hpp>

#include "core/sha1.hpp"
#include "store/redis/shard_store.hpp"
#include "store/redis/tallies.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace errand::redis {
namespace {

constexpr std::size_t queues_per_call = 25;
constexpr std::size_t cards_per_page = 200;
constexpr std::int64_t most_tallies_per_call = 32, queues_of_tallies_per_call = 20'000;
// So many days are looked at for the last tally, one lot after the other.
constexpr std::array<std::int64_t, 3> looked_back{1, 17, 382};

queue_state read_queue(reply_reader& in, std::string queue) {
    const auto size = [&] { return static_cast<std::size_t>(in.number()); };
    queue_state one;
    one.queue = std::move(queue);
    one.ready = size();
    one.delayed = size();
    one.retry = size();
    one.dead = size();
    one.cancelled = size();
    one.expired = size();
    one.waiting = size();
    one.success = size();
    one.paused_since = read_time(in);
    one.idle_workers = size();
    if (const auto life = read_life(in.text()))
        one.next_submitted_at = time_point{duration{static_cast<std::int64_t>(life >> 16)}};
    return one;
}

}  // namespace

awaitable<pairs> shard_store::read_hash(std::string_view operation, std::string_view key, std::size_t some,
                                        std::string_view fields) {
    pairs all;
    std::string from = "0";
    do {
        boost::redis::request ask;
        ask.push("HSCAN", key, from, "MATCH", fields, "COUNT", some);
        reply page;
        co_await caller_.command(operation, ask, page);
        from = add_page(all, page);
    } while (from != "0");
    co_return all;
}

awaitable<known_counts> shard_store::counted(std::string_view operation, std::string_view fields) {
    const auto all = co_await read_hash(operation, keys_.counts(), per_page, fields);
    co_return read_counts(all);
}

awaitable<overview_answer> shard_store::overview() {
    const auto known = co_await counted("overview");
    overview_answer got;
    // Of fewer than were asked for it tells where large tasks are next.
    for (std::size_t at = 0; at < known.queues.size();) {
        const auto n = std::min(queues_per_call, known.queues.size() - at);
        script_call call{script_name::overview, keys_};
        for (std::size_t i = at; i < at + n; ++i) call.queue(known.queues[i]);
        call.arg(n);
        reply answer;
        reply_reader in{answer};
        const auto head = co_await ask(call, answer, in);
        got.now = head.now;
        got.working = static_cast<std::size_t>(in.number());
        do {
            auto one = read_queue(in, known.queues.at(at++));
            if (const auto kept = known.kept.find(one.queue); kept != known.kept.end())
                one.success += static_cast<std::size_t>(std::max<std::int64_t>(kept->second, 0));
            got.queues.push_back(std::move(one));
        } while (!in.done());
    }
    co_return got;
}

// Each tally has all queues: only those are read that are asked for.
awaitable<totals_answer> shard_store::happened(int days) {
    totals_answer got;
    got.so_far = (co_await counted("totals")).so_far;
    got.now = now();
    const auto minute = got.now.time_since_epoch().count() / 60'000;
    for (auto at = minute - minutes_back; at <= minute && got.at_minute.empty(); ++at) {
        std::vector<std::string> field{minute_field(at)};
        co_await read_tallies(std::move(field), got, at);
    }
    if (days == 0) co_return got;
    const auto today = got.now.time_since_epoch().count() / 86'400'000;
    const auto queues = static_cast<std::int64_t>(got.so_far.size());
    const auto at_once =
        std::clamp<std::int64_t>(queues_of_tallies_per_call / (queues + 1), 1, most_tallies_per_call);
    for (std::int64_t at = 1; at < days; at += at_once) {
        auto fields = day_fields(today - at, std::min(at_once, days - at));
        co_await read_tallies(std::move(fields), got, minute);
    }
    // What they began from: most often yesterday's; after quiet days an older one.
    auto before = today - days;
    for (const auto some : looked_back) {
        auto fields = day_fields(before, some);
        co_await read_tallies(std::move(fields), got, minute);
        before -= some;
        if (!got.at_day.empty() && got.at_day.begin()->first <= today - days) break;
    }
    co_return got;
}

awaitable<void> shard_store::read_tallies(std::vector<std::string> fields, totals_answer& into,
                                          std::int64_t minute) {
    boost::redis::request ask;
    ask.push_range("HMGET", keys_.tallies(), fields);
    reply texts;
    co_await caller_.command("totals", ask, texts);
    add_tallies(into, fields, texts, minute);
}

awaitable<std::vector<worker_card>> shard_store::workers() {
    auto cards = co_await read_hash("workers", keys_.cards(), cards_per_page);
    boost::redis::request ask_times;
    ask_times.push("ZRANGE", keys_.workers(), 0, -1, "WITHSCORES");
    reply times;
    co_await caller_.command("workers", ask_times, times);
    std::vector<worker_card> got;
    for (auto& [name, card] : cards) got.push_back({name, std::move(card), {}});
    std::ranges::sort(got, {}, &worker_card::name);
    for (const auto& [name, until] : read_scores(times)) {
        const auto at = std::ranges::lower_bound(got, name, {}, &worker_card::name);
        if (at != got.end() && at->name == name) at->alive_until = time_point{duration{until}};
    }
    std::erase_if(got, [&](const worker_card& one) { return one.alive_until <= now(); });
    co_return got;
}

awaitable<bool> shard_store::pause(std::string_view queue) {
    script_call call{script_name::pause, keys_};
    call.queue(queue);
    call.arg(queue);
    reply answer;
    reply_reader in{answer};
    const auto head = co_await ask(call, answer, in);
    co_return head.word == "ok";
}

awaitable<bool> shard_store::resume(std::string_view queue) {
    script_call call{script_name::resume, keys_};
    call.queue(queue);
    reply answer;
    reply_reader in{answer};
    const auto head = co_await ask(call, answer, in);
    co_return head.word == "ok";
}

awaitable<edit_verdict> shard_store::edit(const edit_call& asked) {
    const auto ms = [](time_point at) { return std::to_string(at.time_since_epoch().count()); };
    script_call call{script_name::edit, keys_};
    name_known(call);
    call.arg(asked.id.view());
    call.own_arg(sha1(asked.seen));
    call.arg(std::string_view{asked.body});
    call.own_arg(asked.due_at ? ms(std::max(*asked.due_at, time_point{})) : "");
    call.own_arg(asked.expires_at ? ms(*asked.expires_at) : "");
    call.arg(std::string_view{asked.unstarted_only ? "1" : "0"});
    if (asked.notes) {
        call.own_arg(asked.seen_notes.empty() ? std::string{} : sha1(asked.seen_notes));
        call.arg(std::string_view{*asked.notes});
    }
    reply answer;
    reply_reader in{answer};
    const auto head = co_await ask(call, answer, in, caller::when_full::fail);
    if (head.word == "ok") co_return edit_verdict::done;
    if (head.word == "changed") co_return edit_verdict::changed;
    co_return head.word == "unknown" ? edit_verdict::unknown : edit_verdict::unchanged;
}

awaitable<remove_verdict> shard_store::remove(const task_id& id, std::string_view outcome) {
    for (bool began = false;; began = true) {
        script_call call{script_name::remove, keys_};
        name_known(call);
        call.arg(id.view());
        call.arg(outcome);
        reply answer;
        reply_reader in{answer};
        const auto head = co_await ask(call, answer, in);
        if (head.word == "more") continue;
        if (head.word == "working") co_return remove_verdict::working;
        const bool unknown = head.word == "unknown" && !began;
        co_return unknown ? remove_verdict::unknown : remove_verdict::removed;
    }
}

}  // namespace errand::redis
