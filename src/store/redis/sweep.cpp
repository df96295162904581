// The passes that delete: what is kept no longer, what is too much, and what the dead have left behind.
#include <errand/error.hpp>

#include "store/redis/shard_store.hpp"

#include <algorithm>
#include <array>

namespace errand::redis {
namespace {

// One script looks at so many history lists at most.
constexpr std::size_t lists_per_clean = 50, lists_per_trim = 400;
// So often one janitor asks whether there is more to sweep, by the store's clock; sweep.lua says how much of it.
constexpr duration between_sweeps{20'000};
// The kinds of scripts/sweep_kinds.lua; that of idle workers is for each queue.
constexpr std::array<std::string_view, 10> swept_kinds{"lanes", "arrived", "resolvers", "watched", "gates",
                                                       "edges", "counts",  "passed",    "tallies", "tables"};

}  // namespace

awaitable<std::size_t> shard_store::clean(std::size_t limit) {
    boost::redis::request ask_lists;
    ask_lists.push("SMEMBERS", keys_.histories());
    reply lists;
    co_await caller_.command("clean", ask_lists, lists);
    std::vector<std::string> members;
    reply_reader in{lists};
    for (auto left = in.array(); left > 0; --left) members.emplace_back(in.text());
    std::size_t done = 0, from = 0;
    do {
        const auto n = std::min(lists_per_clean, members.size() - from);
        done += co_await clean_lists(std::span{members}.subspan(from, n), limit - done);
        from += n;
    } while (from < members.size() && done < limit);
    if (co_await sweep()) ++done;
    co_return done;
}

awaitable<std::size_t> shard_store::clean_lists(std::span<const std::string> members, std::size_t limit) {
    script_call call{script_name::clean, keys_};
    name_known(call);
    call.arg(limit);
    for (const auto& member : members) {
        call.key(keys_.history(std::string_view{member}));
        call.own_arg(std::string_view{member}.substr(member.rfind(':') + 1));
    }
    reply answer;
    reply_reader in{answer};
    co_await ask(call, answer, in);
    co_return static_cast<std::size_t>(in.number());
}

awaitable<std::size_t> shard_store::trim(std::size_t most, std::size_t limit) {
    const auto seen = co_await overview();
    std::size_t done = 0;
    for (const auto& queue : seen.queues) {
        const auto largest = std::max({queue.success, queue.dead, queue.cancelled, queue.expired});
        if (largest <= most || done >= limit) continue;
        const auto histories = co_await lists(state::success, queue.queue);
        script_call call{script_name::trim, keys_};
        call.queue(queue.queue);
        std::size_t given = 0;
        for (const auto& one : histories) {
            const auto key = history_key(one);
            if (key && given++ < lists_per_trim) call.key(*key);
        }
        call.arg(most);
        call.arg(limit - done);
        reply answer;
        reply_reader in{answer};
        co_await ask(call, answer, in);
        done += static_cast<std::size_t>(in.number());
    }
    co_return done;
}

// True when more is to be swept now.
awaitable<bool> shard_store::sweep() {
    // Far from there the clock was set back.
    if (now() < next_sweep_ && now() + between_sweeps >= next_sweep_) co_return false;
    bool more = false;
    for (const auto kind : swept_kinds) {
        if (co_await sweep_page(kind, {})) more = true;
    }
    const auto seen = co_await overview();
    for (const auto& queue : seen.queues) {
        if (queue.idle_workers > 0 && co_await sweep_page("idle", queue.queue)) more = true;
    }
    if (!more) next_sweep_ = now() + between_sweeps;
    co_return more;
}

awaitable<bool> shard_store::sweep_page(std::string_view kind, std::string_view queue) {
    script_call call{script_name::sweep, keys_};
    if (!queue.empty()) call.queue(queue);
    call.key(keys_.arrived());
    call.key(keys_.tallies());
    call.arg(kind);
    call.arg(remembers_for.count());
    reply answer;
    reply_reader in{answer};
    co_await ask(call, answer, in);
    co_return in.number() != 0;
}

}  // namespace errand::redis
