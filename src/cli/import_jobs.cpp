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
constexpr auto looks_before_waiting = 200ms;

}  // namespace

import_jobs::import_jobs(session& on, const drain_order& order)
    : on_{on},
      core_{detail::core_of(on.app())},
      order_{order},
      from_{order.from},
      rejects_{order.rejects, 0, "job"} {
    // What was rejected before comes again.
    rejects_.drop_later();
}

drain_counts import_jobs::run() {
    while (!stopped_.asked()) {
        auto jobs = take();
        if (!jobs.empty()) {
            bring(std::move(jobs));
        } else if (!stopped_.asked() && is_empty()) {
            counts_.complete = true;
            break;
        }
    }
    counts_.unsaid = rejects_.unsaid();
    return counts_;
}

// Those that were not rejected before.
std::vector<lmstfy::source_job> import_jobs::take() {
    const auto most = admitted();
    if (most == 0) return {};
    const auto ttr = std::chrono::ceil<std::chrono::seconds>(order_.ttr);
    const bool waits = order_.wait > duration{0} && clock::now() > quiet_since_ + looks_before_waiting;
    auto got = from_.take(most, ttr, waits ? longest_pause : 0s);
    while (!got && !stopped_.asked()) {
        show("waits for the limit of the token");
        std::this_thread::sleep_for(longest_pause);
        got = from_.take(most, ttr, 0s);
    }
    if (!got) return {};
    std::erase_if(*got, [this](const auto& one) { return rejected_.contains(one.queue + '\n' + one.id); });
    return std::move(*got);
}

// How many may be submitted now; 0: it was interrupted before. They are asked for before any job is taken, whose time would go by.
std::size_t import_jobs::admitted() {
    while (!stopped_.asked()) {
        const auto got = on_.run(ask_import_quota(core_, most_jobs_taken));
        if (got.admitted > 0) return static_cast<std::size_t>(got.admitted);
        show("waits for the quota of the namespace");
        std::this_thread::sleep_for(std::clamp<clock::duration>(std::chrono::microseconds{got.opens_in}, 20ms,
                                                                longest_pause));
    }
    return 0;
}

// An lmstfy also gives none when an expired one stands first: then there are fewer the next time.
bool import_jobs::is_empty() {
    const auto left = from_.size();
    if (left > 0 && (!seen_size_ || left < *seen_size_)) {
        seen_size_ = left;
        return false;
    }
    if (clock::now() >= quiet_since_ + order_.wait) return true;
    seen_size_.reset();
    show("waits for more");
    return false;
}

void import_jobs::bring(std::vector<lmstfy::source_job> jobs) {
    const auto now = on_.run(store_time(core_));
    std::vector<import_item> items;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        try {
            items.push_back(lmstfy::imported_job(core_, jobs[i], i, now));
        } catch (const error& why) {
            reject(jobs[i], why.what());
        }
    }
    auto answer = on_.run(send_import(core_, std::move(items), now));
    for (const auto& [place, why] : answer.refused) reject(jobs[place], why);
    rejects_.flush();
    for (const auto& one : jobs) {
        if (!rejected_.contains(one.queue + '\n' + one.id)) from_.acknowledge(one);
    }
    // They do not come again.
    on_.run(forget_import(core_, std::move(answer.sent)));
    counts_.accepted += answer.accepted + answer.duplicates;
    seen_size_.reset();
    quiet_since_ = clock::now();
    const auto seconds = std::chrono::duration<double>{clock::now() - began_ + 1ms}.count();
    const auto rate = static_cast<std::uint64_t>(static_cast<double>(counts_.accepted) / seconds);
    show(std::to_string(counts_.accepted) + " jobs, " + std::to_string(rate) + "/s, " +
         std::to_string(counts_.rejected) + " rejected");
}

// It stays where it is.
void import_jobs::reject(const lmstfy::source_job& one, const std::string& why) {
    rejected_.insert(one.queue + '\n' + one.id);
    rejects_.add(++counts_.rejected, why, one.text);
}

void import_jobs::show(const std::string& words) { bar_.show(0, words); }

}  // namespace errand::cli
