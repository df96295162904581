#include "cli/import_jobs.hpp"

#include <errand/detail/engine.hpp>
#include <errand/error.hpp>
#include <errand/proxy.hpp>

#include "client/import_tasks.hpp"
#include "service/lmstfy/imported.hpp"

#include <algorithm>
#include <thread>
#include <utility>

namespace errand::cli {

using namespace std::chrono_literals;

namespace {

constexpr std::size_t most_jobs_taken = 50;
constexpr auto longest_pause = 1s;
constexpr auto shortest_pause = 20ms;
// An lmstfy counts whole seconds of its clock: what was taken may come back there so much early.
constexpr auto comes_back_early_by = 1s;
// Of batches in a row: then it is no chance.
constexpr int most_late = 10;

}  // namespace

import_jobs::import_jobs(session& on, const drain_order& order)
    : on_{on},
      core_{detail::core_of(on.app())},
      order_{order},
      from_{order.from},
      rejects_{order.rejects, order.from.shown} {}

drain_counts import_jobs::run() {
    while (!stopped_.asked() && has_more()) {
        const auto now = take();
        if (!now.jobs.empty()) bring(now);
    }
    rejects_.finish();
    counts_.interrupted = stopped_.asked();
    if (!counts_.interrupted) {
        counts_.ready = ready_;
        counts_.dead = from_.dead_letters();
    }
    counts_.rejected = rejects_.count();
    counts_.unsaid = rejects_.unsaid();
    return counts_;
}

// Whether to go on. An lmstfy also gives none when an expired one stands first: then there are fewer the next time.
bool import_jobs::has_more() {
    while (!stopped_.asked()) {
        if (ready_ == 0) ready_ = from_.size();
        if (ready_ > 0 && (!gave_none_ || ready_ < *gave_none_)) return true;
        const auto quiet = clock::now() - quiet_since_;
        if (quiet >= order_.wait) return false;
        ready_ = 0;
        gave_none_.reset();
        show("waits for more");
        std::this_thread::sleep_for(std::clamp<clock::duration>(quiet / 4, shortest_pause, longest_pause));
    }
    return false;
}

// Those that were not rejected before.
import_jobs::taken import_jobs::take() {
    const auto most = admitted(std::min<std::uint64_t>(ready_, most_jobs_taken));
    const auto ttr = std::chrono::ceil<std::chrono::seconds>(order_.ttr);
    taken now;
    while (most > 0 && !stopped_.asked()) {
        now.until = clock::now() + ttr;
        auto got = from_.take(most, ttr + comes_back_early_by);
        if (!got) {
            show("waits for the limit of the token");
            std::this_thread::sleep_for(longest_pause);
            continue;
        }
        if (got->empty()) {
            gave_none_ = std::exchange(ready_, 0);
        } else {
            gave_none_.reset();
            ready_ -= std::min<std::uint64_t>(ready_, got->size());
        }
        std::erase_if(*got, [this](const auto& one) { return rejects_.has(one.queue, one.id); });
        admitted_ -= std::min(admitted_, got->size());
        now.jobs = std::move(*got);
        break;
    }
    return now;
}

// How many may be submitted now; 0: it was interrupted before. They are asked for before jobs are taken, whose time would go by, and
// only as there are some; what was let through for one that somebody else took is for the next.
std::size_t import_jobs::admitted(std::size_t most) {
    while (admitted_ == 0 && !stopped_.asked()) {
        const auto got = on_.run(ask_import_quota(core_, static_cast<std::int64_t>(most)));
        admitted_ = static_cast<std::size_t>(got.admitted);
        if (admitted_ > 0) break;
        show("waits for the quota of the namespace");
        std::this_thread::sleep_for(std::clamp<clock::duration>(std::chrono::microseconds{got.opens_in},
                                                                shortest_pause, longest_pause));
    }
    return std::min(most, admitted_);
}

void import_jobs::bring(const taken& now) {
    const auto time = on_.run(store_time(core_));
    std::vector<import_item> items;
    for (std::size_t i = 0; i < now.jobs.size(); ++i) {
        try {
            items.push_back(lmstfy::imported_job(core_, now.jobs[i], i, time));
        } catch (const error& why) {
            reject(now.jobs[i], why.what());
        }
    }
    rejects_.flush();
    import_answer answer;
    try {
        answer = on_.run(send_import(core_, std::move(items), time, now.until - clock::now()));
        late_ = 0;
    } catch (const store_error&) {
        // What had no time to be sent comes again.
        if (clock::now() < now.until || ++late_ == most_late) throw;
        show("was too slow for the ttr");
        return;
    }
    for (const auto& [place, why] : answer.refused) reject(now.jobs[place], why);
    rejects_.flush();
    for (const auto& one : now.jobs) {
        if (rejects_.has(one.queue, one.id)) continue;
        from_.acknowledge(one);
        rejects_.brought(one.queue, one.id);
    }
    // They do not come again.
    if (clock::now() < now.until) on_.run(forget_import(core_, std::move(answer.sent)));
    rejects_.flush();
    counts_.accepted += answer.accepted + answer.duplicates;
    quiet_since_ = clock::now();
    const auto seconds = std::chrono::duration<double>{clock::now() - began_ + 1ms}.count();
    const auto rate = static_cast<std::uint64_t>(static_cast<double>(counts_.accepted) / seconds);
    show(std::to_string(counts_.accepted) + " jobs, " + std::to_string(rate) + "/s, " +
         std::to_string(rejects_.count()) + " rejected");
}

// It stays where it is, and what was let through for it is for another one.
void import_jobs::reject(const lmstfy::source_job& one, const std::string& why) {
    ++admitted_;
    rejects_.add(one.queue, one.id, why, one.text);
}

void import_jobs::show(const std::string& words) { bar_.show(0, words); }

}  // namespace errand::cli
