// What is asked about tasks from outside, and the passes that keep a shard in order.
#include <errand/error.hpp>

#include "store/redis/server_check.hpp"
#include "store/redis/shard_store.hpp"

namespace errand::redis {
awaitable<promote_answer> shard_store::promote(std::span<const std::string> queues, std::size_t limit,
                                               std::string_view expired_outcome) {
    script_call call{script_name::promote, keys_};
    for (const auto& queue : queues) call.queue(queue);
    call.arg(std::string_view{settings_.name});
    call.arg(limit);
    call.arg(expired_outcome);
    call.arg(queues.size());
    reply answer;
    reply_reader in{answer};
    const auto head = co_await ask(call, answer, in);
    promote_answer got;
    got.now = head.now;
    got.promoted = static_cast<std::size_t>(in.number());
    got.expired = static_cast<std::size_t>(in.number());
    got.next_due = read_time(in);
    co_return got;
}

awaitable<cancel_answer> shard_store::cancel(const task_id& id, incarnation life, std::string_view outcome) {
    script_call call{script_name::cancel, keys_};
    name_known(call);
    call.arg(id.view());
    call.own_arg(life_bytes(life));
    call.arg(outcome);
    reply answer;
    reply_reader in{answer};
    const auto head = co_await ask(call, answer, in);
    co_return cancel_answer{.known = head.word != "unknown", .cancelled = head.word == "cancelled"};
}

awaitable<std::optional<found_task>> shard_store::find(const task_id& id) {
    script_call call{script_name::find, keys_};
    name_known(call);
    call.arg(id.view());
    reply answer;
    reply_reader in{answer};
    const auto head = co_await ask(call, answer, in);
    if (head.word == "unknown") co_return std::nullopt;
    co_return read_found(in, head, id);
}

awaitable<watch_answer> shard_store::watch(std::span<const watched_task> tasks) {
    watch_answer got;
    std::vector<watched_task> left{tasks.begin(), tasks.end()};
    while (!left.empty()) {
        script_call call{script_name::watch, keys_};
        call.arg(std::string_view{settings_.name});
        for (const auto& one : left) {
            call.arg(one.id.view());
            call.own_arg(life_bytes(one.life));
        }
        reply answer;
        reply_reader in{answer};
        co_await ask(call, answer, in);
        got.now = now();
        for (auto fields = in.array(); fields > 2; fields -= 3) {
            const auto& one = left.at(static_cast<std::size_t>(in.number() - 1));
            const auto life = read_life(in.text());
            got.ended.push_back(read_record(one.id, life, in.text()));
        }
        for (const auto at : read_positions(in)) got.unknown.push_back(left.at(at).id);
        for (const auto at : read_positions(in)) got.replaced.push_back(left.at(at));
        for (const auto at : read_positions(in)) got.gone.push_back(left.at(at));
        std::vector<watched_task> later;
        for (const auto at : read_positions(in)) later.push_back(left.at(at));
        left = std::move(later);
    }
    co_return got;
}

awaitable<beat_answer> shard_store::beat(std::string_view card, duration ttl,
                                         std::span<const std::string> queues) {
    script_call call{script_name::beat, keys_};
    call.arg(std::string_view{settings_.name});
    call.arg(card);
    call.arg(ttl.count());
    call.arg(looks_every.count());
    for (const auto& queue : queues) call.arg(std::string_view{queue});
    reply answer;
    reply_reader in{answer};
    co_await ask(call, answer, in);
    beat_answer got;
    got.alive = static_cast<std::size_t>(in.number());
    got.looks = in.number() == 1;
    hear_of_settings(in.text());
    if (in.number() == 0) co_return got;
    try {
        co_await keep_tally();
    } catch (const store_error&) {
        // What was said of queues counts all the same; the next beat asks for the tally again.
    }
    co_return got;
}

// With thousands of queues there are more counters than one call may look at. Of several who do this at once each does some of it.
awaitable<void> shard_store::keep_tally() {
    for (bool more = true; more;) {
        script_call call{script_name::tally, keys_};
        call.key(keys_.tallies());
        call.arg(per_page);
        reply answer;
        reply_reader in{answer};
        co_await ask(call, answer, in);
        more = in.number() == 1;
    }
}

awaitable<void> shard_store::leave(std::span<const std::string> queues) {
    script_call call{script_name::leave, keys_};
    for (const auto& queue : queues) call.queue(queue);
    call.arg(std::string_view{settings_.name});
    call.arg(queues.size());
    call.arg(std::string_view{waits_as_});
    reply answer;
    reply_reader in{answer};
    co_await ask(call, answer, in);
}

}  // namespace errand::redis
