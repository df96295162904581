// How tasks stand now, without waiting for their end.
#include "runtime/async_gate.hpp"
#include "runtime/no_result.hpp"
#include "runtime/result_watch.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <memory>
#include <span>

namespace errand {

namespace asio = boost::asio;

namespace {

constexpr std::size_t looks_per_call = 500;
// Whoever looks at several shards waits so much longer for those that answer after another has.
constexpr std::chrono::seconds patience_of_lookers{1};

// How one of these ended; a failure when there is no end to come; neither when it has not ended.
struct look_answer {
    const ended_task* end = nullptr;
    std::exception_ptr failure{};
    bool known() const { return end || failure; }
};

look_answer find_in(const watch_answer& answer, const watched_task& task) {
    const auto same = [&task](const watched_task& other) {
        return other.id == task.id && other.life == task.life;
    };
    if (std::ranges::any_of(answer.replaced, same)) return {nullptr, no_result::gone(task.id)};
    if (std::ranges::any_of(answer.gone, same)) return {nullptr, no_result::deleted(task.id)};
    if (std::ranges::find(answer.unknown, task.id) != answer.unknown.end())
        return {nullptr, no_result::lost(task.id)};
    const auto end = std::ranges::find(answer.ended, task.id, &ended_task::id);
    if (end == answer.ended.end()) return {};
    if (no_result::comes_too_late(*end, answer.now)) return {nullptr, no_result::deleted(task.id)};
    return {&*end, nullptr};
}

}  // namespace

awaitable<std::optional<ended_task>> result_watch::look(task_id id, incarnation life) {
    if (closed_) no_result::throw_closing();
    const auto found = co_await in_.find(id);
    const bool open = found && !found->finished_at;
    if (open && (life == 0 || incarnation_of(found->body) == life)) co_return std::nullopt;
    const watched_task one{id, life};
    const auto answer = co_await in_.watch({&one, 1});
    const auto got = find_in(answer, one);
    if (got.failure) std::rethrow_exception(got.failure);
    if (!got.end) co_return std::nullopt;
    co_return *got.end;
}

// Of several shards each is asked by itself: what one that is away does not tell keeps nobody from hearing of the others.
struct result_watch::joint_look {
    struct part {
        std::vector<watched_task> tasks{};
        std::vector<std::size_t> indexes{};
        bool over = false;
    };
    joint_look(const asio::any_io_executor& executor, std::size_t shards, result_group& to)
        : parts(shards), tells{&to}, changed{executor} {}

    std::vector<part> parts;
    result_group* tells;  // null: it knows enough, or asks no longer
    std::size_t left = 0;
    bool all = true;
    bool enough = false;
    moment heard = std::chrono::steady_clock::now();  // of any part
    std::exception_ptr failure{};
    async_gate changed;

    // Nobody is told afterwards.
    struct asking {
        explicit asking(joint_look& what) : of{what} {}
        ~asking() { of.tells = nullptr; }
        asking(const asking&) = delete;
        asking& operator=(const asking&) = delete;
        joint_look& of;
    };
};

awaitable<void> result_watch::look_at_part(store& in, std::shared_ptr<joint_look> job, std::size_t shard) {
    auto& part = job->parts[shard];
    try {
        for (std::size_t from = 0; from < part.tasks.size(); from += looks_per_call) {
            const auto rest = std::span<const watched_task>{part.tasks}.subspan(from);
            const auto some = rest.first(std::min(rest.size(), looks_per_call));
            const auto answer = co_await in.watch(some);
            job->heard = std::chrono::steady_clock::now();
            for (std::size_t at = 0; at < some.size() && job->tells; ++at) {
                const auto got = find_in(answer, some[at]);
                if (!got.known()) {
                    job->all = false;
                } else if (job->tells->told(part.indexes[from + at], got.end, got.failure)) {
                    job->enough = true;
                    job->tells = nullptr;
                }
            }
            if (!job->tells) break;
        }
    } catch (...) {
        if (!job->failure) job->failure = std::current_exception();
    }
    part.over = true;
    --job->left;
    job->changed.open();
}

awaitable<bool> result_watch::look_at_many(std::vector<watched_task> tasks, result_group& to) {
    if (closed_) no_result::throw_closing();
    const auto job = std::make_shared<joint_look>(executor_, in_.shards(), to);
    const joint_look::asking until_here{*job};
    for (std::size_t index = 0; index < tasks.size(); ++index) {
        auto& part = job->parts[in_.shard_of(tasks[index].id)];
        part.tasks.push_back(tasks[index]);
        part.indexes.push_back(index);
    }
    for (std::size_t shard = 0; shard < job->parts.size(); ++shard) {
        if (job->parts[shard].tasks.empty()) continue;
        ++job->left;
        asio::co_spawn(executor_, look_at_part(in_, job, shard), asio::detached);  // throws nothing
    }
    asio::steady_timer limit{executor_};
    const auto asked = job->left;
    while (job->left > 0 && !job->enough) {
        if (job->left < asked) {
            const auto until = job->heard + patience_of_lookers, now = std::chrono::steady_clock::now();
            // Much later, this loop has stood still itself: what has come meanwhile is still to be read.
            if (now >= until && now < until + patience_of_lookers) break;
            limit.expires_at(std::max(until, now));
            if (now >= until) job->heard = now;
            limit.async_wait([job](const boost::system::error_code& cancelled) {
                if (!cancelled) job->changed.open();
            });
        }
        co_await job->changed.wait();
    }
    if (job->failure && !job->enough) std::rethrow_exception(job->failure);
    for (const auto& part : job->parts) {
        if (!job->enough && !part.over && !part.tasks.empty())
            std::rethrow_exception(no_result::unanswered(part.tasks.front().id));
    }
    co_return job->enough || job->all;
}

}  // namespace errand
