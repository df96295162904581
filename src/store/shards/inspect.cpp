// Looking after the tasks of several shards: counts are sums, lists stand beside each other.
#include <errand/error.hpp>

#include "store/shards/sharded_store.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>

namespace errand {
namespace {

void add(queue_state& to, const queue_state& one) {
    to.ready += one.ready;
    to.delayed += one.delayed;
    to.retry += one.retry;
    to.waiting += one.waiting;
    to.success += one.success;
    to.dead += one.dead;
    to.cancelled += one.cancelled;
    to.expired += one.expired;
    to.idle_workers = std::max(to.idle_workers, one.idle_workers);
    if (!to.paused_since) to.paused_since = one.paused_since;
    if (one.next_submitted_at && (!to.next_submitted_at || *one.next_submitted_at < *to.next_submitted_at))
        to.next_submitted_at = one.next_submitted_at;
}

void add(totals& to, const totals& all) {
    for (const auto& [queue, one] : all) {
        auto& sum = to[queue];
        sum.success += one.success;
        sum.dead += one.dead;
        sum.cancelled += one.cancelled;
        sum.expired += one.expired;
        sum.failed += one.failed;
    }
}

// The lists of a shard have its number and a slash before their names.
std::size_t shard_of_list(const std::string& name) {
    std::size_t shard = 0;
    std::from_chars(name.data(), name.data() + name.size(), shard);
    return shard;
}

[[noreturn]] void throw_missed(std::string_view what, const std::string& shards,
                               const std::exception_ptr& why) {
    try {
        std::rethrow_exception(why);
    } catch (const std::exception& e) {
        throw store_error{
            std::string{what} + ": shard " + shards +
            " may not know of it, the others do; do it again when its server is there: " + e.what()};
    }
}

// Anything small that is asked like all that only looks.
awaitable<bool> answers(store& in) {
    co_await in.find(task_id{});
    co_return true;
}

// What lists there are a store may know by itself; whether it can be asked for them not.
awaitable<std::vector<task_list>> lists_of(store& in, state where, std::string queue) {
    co_await answers(in);
    co_return co_await in.lists(where, queue);
}

// One shard after another.
class audit_of_all final : public auditor {
public:
    explicit audit_of_all(std::vector<std::unique_ptr<auditor>> shards) : shards_{std::move(shards)} {}

    awaitable<audit_step> next() override {
        auto step = co_await shards_[at_]->next();
        if (!step.more && at_ + 1 < shards_.size()) {
            ++at_;
            step.more = true;
        }
        co_return step;
    }

private:
    std::vector<std::unique_ptr<auditor>> shards_;
    std::size_t at_ = 0;
};

}  // namespace

awaitable<overview_answer> sharded_store::overview() {
    const auto answers = co_await those_there<overview_answer>([](store& in) { return in.overview(); });
    overview_answer got{.queues = {}, .working = 0, .now = now()};
    std::map<std::string, queue_state> queues;
    for (const auto& one : answers) {
        if (!one) continue;
        got.working += one->working;
        for (const auto& queue : one->queues) {
            auto& sum = queues[queue.queue];
            sum.queue = queue.queue;
            add(sum, queue);
        }
    }
    for (auto& [name, sum] : queues) got.queues.push_back(std::move(sum));
    co_return got;
}

awaitable<totals_answer> sharded_store::happened(int days) {
    const auto answers = co_await those_there<totals_answer>([days](store& in) { return in.happened(days); });
    totals_answer got;
    got.now = now();
    // How each shard stood at about the same time: the first minute that one knows may be another's second. One that knows none
    // has grown by nothing, rather than by all that it ever had.
    const auto since = got.now.time_since_epoch().count() / 60'000 - minutes_back;
    std::optional<std::int64_t> minute;
    totals then;
    for (const auto& one : answers) {
        if (!one) continue;
        add(got.so_far, one->so_far);
        const auto first = one->at_minute.lower_bound(since - 1);
        const bool known = first != one->at_minute.end();
        add(then, known ? first->second : one->so_far);
        if (known) minute = std::max(minute.value_or(since), first->first);
        for (const auto& [day, all] : one->at_day) add(got.at_day[day], all);
    }
    if (minute) got.at_minute[*minute] = std::move(then);
    co_return got;
}

// All know all of them.
awaitable<std::vector<worker_card>> sharded_store::workers() {
    auto answers = co_await those_there<std::vector<worker_card>>([](store& in) { return in.workers(); });
    for (auto& one : answers) {
        if (one) co_return std::move(*one);
    }
    co_return std::vector<worker_card>{};
}

// Asked like all that only looks, so that they are those of which nothing is told there.
awaitable<std::vector<std::size_t>> sharded_store::away() {
    const auto heard = co_await those_there<bool>(answers);
    std::vector<std::size_t> all;
    for (std::size_t shard = 0; shard < heard.size(); ++shard) {
        if (!heard[shard]) all.push_back(shard);
    }
    co_return all;
}

awaitable<std::vector<task_list>> sharded_store::lists(state where, std::string_view queue) {
    auto answers = co_await those_there<std::vector<task_list>>(
        [where, name = std::string{queue}](store& in) { return lists_of(in, where, name); });
    std::vector<task_list> all;
    for (std::size_t shard = 0; shard < answers.size(); ++shard) {
        if (!answers[shard]) continue;
        for (auto& one : *answers[shard])
            all.push_back({std::move(one.queue), std::to_string(shard) + '/' + one.name});
    }
    co_return all;
}

awaitable<list_answer> sharded_store::list(const list_call& asked) {
    auto call = asked;
    const auto shard = shard_of_list(asked.of.name);
    call.of.name = asked.of.name.substr(asked.of.name.find('/') + 1);
    auto got = co_await shards_.at(shard)->list(call);
    for (auto& one : got.items) {
        if (one.task.claim != 0) one.task.claim = shards::outer_claim(one.task.claim, shard, shards());
    }
    co_return got;
}

awaitable<std::vector<std::optional<time_point>>> sharded_store::heads(std::span<const list_call> calls) {
    auto parts =
        shards::split(calls, shards(), [](const list_call& one) { return shard_of_list(one.of.name); });
    for (auto& part : parts) {
        for (auto& one : part.items) one.of.name.erase(0, one.of.name.find('/') + 1);
    }
    auto answers = co_await shards::answers_to(parts, [&](const auto& one) {
        return shards_[one.shard]->heads(one.items);
    });
    co_return shards::in_order(parts, std::move(answers), calls.size());
}

awaitable<bool> sharded_store::change_everywhere(std::string_view what,
                                                 std::function<awaitable<bool>(store&)> change) {
    struct outcome {
        bool changed = false;
        std::exception_ptr failure;
    };
    const auto tried = [](awaitable<bool> call) -> awaitable<outcome> {
        outcome got;
        try {
            got.changed = co_await std::move(call);
        } catch (const store_error&) {
            got.failure = std::current_exception();
        }
        co_return got;
    };
    std::vector<awaitable<outcome>> calls;
    for (const auto& one : shards_) calls.push_back(tried(change(*one)));
    const auto all = co_await shards::all_answers(std::move(calls));
    std::string missed;
    std::exception_ptr first;
    std::size_t failed = 0;
    for (std::size_t shard = 0; shard < all.size(); ++shard) {
        if (!all[shard].failure) continue;
        missed += (missed.empty() ? "" : ", ") + std::to_string(shard);
        if (!first) first = all[shard].failure;
        ++failed;
    }
    if (failed == all.size()) std::rethrow_exception(first);
    if (first) throw_missed(what, missed, first);
    co_return std::ranges::any_of(all, &outcome::changed);
}

awaitable<bool> sharded_store::pause(std::string_view queue) {
    return change_everywhere("pause", [queue](store& in) { return in.pause(queue); });
}

awaitable<bool> sharded_store::resume(std::string_view queue) {
    return change_everywhere("resume", [queue](store& in) { return in.resume(queue); });
}

// As many as were asked for says that there may be more.
awaitable<std::size_t> sharded_store::trim(std::size_t most, std::size_t limit) {
    const auto share = [n = shards()](std::size_t whole) { return whole / n + 1; };
    const auto answers =
        co_await trim_.ask([&](std::size_t at) { return shards_[at]->trim(share(most), share(limit)); });
    std::size_t all = 0;
    for (const auto& one : answers) all = one.value_or(0) >= share(limit) ? limit : all + one.value_or(0);
    co_return std::min(all, limit);
}

std::unique_ptr<auditor> sharded_store::audit(bool repair) {
    std::vector<std::unique_ptr<auditor>> all;
    for (const auto& one : shards_) all.push_back(one->audit(repair));
    return std::make_unique<audit_of_all>(std::move(all));
}

}  // namespace errand
