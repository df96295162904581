#include "outbox/relay_calls.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <algorithm>
#include <utility>

namespace errand::detail {

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

// A call takes milliseconds, and on a slow line a few seconds; what takes longer than this is heard of later.
constexpr auto patience = 2s;
// What is kept in memory of them is a page for each.
constexpr std::size_t most_late = 32;

void stay(relay_pass& of, const task_id& id) {
    if (of.stayed.size() < relay_pass::most_stayed) of.stayed.insert(id);
}

}  // namespace

// Calls that are waited for together.
struct relay_calls::wave {
    explicit wave(const asio::any_io_executor& executor) : changed{executor} {}
    asio::steady_timer changed;
    std::size_t open = 0;
};

struct relay_calls::call {
    shard_set route;
    std::vector<outbox_entry> rows;
    std::shared_ptr<wave> with;
    std::vector<brought> answers{};
    std::exception_ptr failure{};
    bool ended = false, late = false;

    bool stays(std::size_t row) const { return !ended || failure || answers[row].stays; }
    // Why something of it stays, if the store is the reason.
    std::exception_ptr why() const {
        if (failure) return failure;
        const auto failed =
            std::ranges::find_if(answers, [](const brought& one) { return one.got.failed != nullptr; });
        return failed == answers.end() ? nullptr : failed->got.failed;
    }
    bool over_quota() const { return ended && std::ranges::any_of(answers, &brought::over_quota); }
    std::vector<outbox_entry> delivered() {
        std::vector<outbox_entry> done;
        for (std::size_t i = 0; i < answers.size(); ++i) {
            if (!answers[i].stays) done.push_back(std::move(rows[i]));
        }
        return done;
    }
};

awaitable<std::vector<outbox_entry>> relay_calls::bring(std::shared_ptr<database_core> on,
                                                        std::vector<outbox_entry> rows,
                                                        std::shared_ptr<relay_pass> of) {
    const bool may_wait = there_.tasks().shards() == 1;
    of->delivered_late += std::exchange(delivered_late_, 0);
    if (failed_late_) of->failure = std::exchange(failed_late_, nullptr);
    std::vector<outbox_entry> done;
    const auto last_wave = std::chrono::steady_clock::now() + 2 * patience;
    for (auto parts = next_wave(rows, *of); !parts.empty(); parts = next_wave(rows, *of)) {
        const auto together = std::make_shared<wave>(there_.executor());
        std::vector<std::shared_ptr<call>> calls;
        for (auto& [route, some] : parts) {
            ++together->open;
            calls.push_back(std::make_shared<call>(route, std::move(some), together));
            asio::co_spawn(there_.executor(), run(on, calls.back()), asio::detached);  // throws nothing
        }
        const auto until = std::chrono::steady_clock::now() + patience;
        together->changed.expires_at(may_wait ? asio::steady_timer::time_point::max() : until);
        if (together->open > 0) co_await together->changed.async_wait(asio::as_tuple(asio::use_awaitable));
        for (const auto& one : calls) {
            one->late = !one->ended;
            if (one->late) late_.push_back(one);
            for (std::size_t i = 0; i < one->rows.size(); ++i) {
                if (one->stays(i)) stay(*of, one->rows[i].item.id);
            }
            of->over_quota = of->over_quota || one->over_quota();
            if (one->ended && one->why() && (!may_wait || one->failure)) of->failure = one->why();
            if (one->ended) std::ranges::move(one->delivered(), std::back_inserter(done));
        }
        // What is sent long after it was read may have been delivered, run and forgotten.
        if (std::chrono::steady_clock::now() < last_wave) continue;
        for (const auto& row : rows) stay(*of, row.item.id);
        break;
    }
    co_return done;
}

awaitable<void> relay_calls::run(std::shared_ptr<database_core> on, std::shared_ptr<call> one) {
    try {
        one->answers = co_await by_.bring(one->rows);
    } catch (const std::exception&) {
        one->failure = std::current_exception();
    }
    one->ended = true;
    if (--one->with->open == 0) one->with->changed.cancel();
    if (!one->late) co_return;
    failed_late_ = one->why();
    const auto done = one->delivered();
    try {
        if (!done.empty())
            co_await on->run_alone(on->statements()["outbox.strike"], {places_of(done), on->name_space()});
        by_.counts.count_left(done.size());
        by_.forget_later(delivered_tasks(done));
        delivered_late_ += static_cast<std::int64_t>(done.size());
    } catch (const std::exception&) {
        failed_late_ = std::current_exception();  // they are delivered again, which changes nothing
    }
    std::erase(late_, one);
}

bool relay_calls::is_held_up(const shard_set& route) const {
    return (route.size() > 1 && late_.size() >= most_late) ||
           std::ranges::any_of(late_,
                               [&](const auto& one) { return std::ranges::includes(route, one->route); });
}

bool relay_calls::has_to_stay(const outbox_entry& row, const shard_set& route, const relay_pass& of) const {
    if (!row.item.after.empty() && of.stayed.size() >= relay_pass::most_stayed) return true;
    const auto stayed = [&](const parent_task& parent) { return of.stayed.contains(parent.id); };
    return is_held_up(route) || of.stayed.contains(row.item.id) ||
           std::ranges::any_of(row.item.after, stayed);
}

// Takes from the rows those that nothing before them has to go before.
relay_calls::parts relay_calls::next_wave(std::vector<outbox_entry>& rows, relay_pass& of) const {
    parts all;
    // What a store of one shard takes it takes in order; but what stayed of an earlier page is not overtaken.
    if (there_.tasks().shards() == 1) {
        std::erase_if(rows, [&](const outbox_entry& row) {
            const bool stays = has_to_stay(row, {0}, of);
            if (stays) stay(of, row.item.id);
            return stays;
        });
        if (!rows.empty()) all.emplace(shard_set{0}, std::exchange(rows, {}));
        return all;
    }
    std::unordered_set<task_id> before;
    std::vector<outbox_entry> later;
    for (auto& row : rows) {
        const auto id = row.item.id;
        const auto route = route_of(there_.tasks(), row);
        if (has_to_stay(row, route, of)) {
            stay(of, id);
            continue;
        }
        const bool waits =
            before.contains(id) || std::ranges::any_of(row.item.after, [&](const auto& parent) {
                return before.contains(parent.id);
            });
        before.insert(id);
        if (waits) {
            later.push_back(std::move(row));
        } else {
            all[route].push_back(std::move(row));
        }
    }
    rows = std::move(later);
    return all;
}

}  // namespace errand::detail
