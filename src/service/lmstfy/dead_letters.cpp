#include "service/lmstfy/dead_letters.hpp"

#include <errand/inspect.hpp>

#include "client/listing.hpp"
#include "core/job_rules.hpp"
#include "runtime/parent_links.hpp"
#include "service/lmstfy/job.hpp"
#include "service/lmstfy/job_id.hpp"

#include <algorithm>
#include <limits>

namespace errand::lmstfy {
namespace {

constexpr std::int64_t dead_per_page = 200;
constexpr std::int64_t longest_ttl = std::numeric_limits<std::uint32_t>::max();

task_filter dead_jobs_of(std::string queue) {
    return {.state = state::dead, .queue = std::move(queue), .handler = std::string{job_handler}};
}

// With its data and id, and one try. False: it is not dead any more.
awaitable<bool> respawn_one(store& in, const found_task& task, std::int64_t ttl, bool& tells) {
    if (!task.finished_at) co_return false;
    const auto body = decode_body(task.body);
    auto notes = decode_outcome(task.outcome).notes.value_or(task_notes{});
    notes.attempts = body.max_retry.value_or(0);
    notes.lost_leases = 0;
    notes.snoozed = false;
    notes.revived = true;
    notes.ends_at = ttl == 0 ? time_point{} : in.now() + std::chrono::seconds{std::min(ttl, longest_ttl)};
    const auto record = encode(notes);
    if (!co_await in.revive(task.id, incarnation_of(task.body), *task.finished_at, record)) co_return false;
    // Tasks of a program may depend on it: their handles wait again when this has been answered.
    if (tells) tells = co_await revive_dependents_there(in, task.id);
    co_return true;
}

}  // namespace

awaitable<std::string> oldest_dead(tenant& of, std::string queue) {
    auto& in = of.home().tasks();
    const auto which = dead_jobs_of(std::move(queue));
    std::string next;
    do {
        auto page = co_await list_page(in, which, std::move(next), 1, list_order::oldest_first);
        next = std::move(page.next);
        if (page.tasks.empty()) continue;
        const auto body = decode_body(page.tasks.front().body);
        co_return job_text(page.tasks.front().id, is_versioned(body));
    } while (!next.empty());
    co_return std::string{};
}

awaitable<std::int64_t> respawn(tenant& of, std::string queue, std::int64_t limit, std::int64_t ttl) {
    auto& in = of.home().tasks();
    const auto which = dead_jobs_of(std::move(queue));
    std::int64_t done = 0;
    bool tells = true;
    std::string next;
    do {
        const auto most = static_cast<std::size_t>(std::min(limit - done, dead_per_page));
        auto page = co_await list_page(in, which, std::move(next), most, list_order::oldest_first);
        next = std::move(page.next);
        for (const auto& task : page.tasks) {
            if (co_await respawn_one(in, task, ttl, tells)) ++done;
        }
    } while (!next.empty() && done < limit);
    co_return done;
}

awaitable<void> delete_dead(tenant& of, std::string queue, std::int64_t limit) {
    repair_options how;
    how.most = static_cast<std::size_t>(limit);
    co_await of.tasks().inspect().repair_all(dead_jobs_of(std::move(queue)), repair::remove, how);
}

}  // namespace errand::lmstfy
