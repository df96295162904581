// What a courier's call brings to the store: tasks that the quota lets through, and schedules.
#include <errand/error.hpp>

#include "client/schedule_change.hpp"
#include "client/within_quota.hpp"
#include "outbox/courier.hpp"
#include "runtime/app_core.hpp"
#include "runtime/task_event.hpp"

#include <algorithm>

namespace errand::detail {

awaitable<std::vector<brought>> courier::bring(std::span<const outbox_entry> entries) {
    std::vector<brought> all(entries.size());
    bool asked = false;
    try {
        co_await there_.ready();
        const auto admitted = co_await count_admitted(entries);
        asked = true;
        co_await bring_tasks(entries, admitted, all);
        co_await declare_those_of(entries, all);
    } catch (const std::exception&) {
        if (asked || there_.tasks().shards() == 1) {
            note_away(entries, true);
        } else {
            note_quota(true);
        }
        throw;
    }
    note_away(entries, false);
    ahead_ = (there_.tasks().now() - app_.now()).count();
    co_return all;
}

awaitable<std::size_t> courier::count_admitted(std::span<const outbox_entry> entries) {
    if (!app_.overrides.any_quota()) co_return entries.size();
    // What is for a shard that does not answer would be asked for again and again, and never be submitted.
    const bool several = there_.tasks().shards() > 1;
    const auto asks = [&](const outbox_entry& one) {
        return one.schedule.empty() && !one.admitted && !(several && is_away(route_of(there_.tasks(), one)));
    };
    const auto count = std::ranges::count_if(entries, asks);
    if (count == 0) co_return entries.size();
    const auto got = co_await there_.quotas().take(count, false);
    note_quota(false);
    auto left = got.admitted;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (asks(entries[i]) && left-- == 0) co_return i;
    }
    co_return entries.size();
}

// What the quota keeps waits, and with it what comes after: it may depend on it.
awaitable<void> courier::bring_tasks(std::span<const outbox_entry> entries, std::size_t admitted,
                                     std::vector<brought>& into) {
    std::vector<submission_item> items;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (!entries[i].schedule.empty()) continue;
        if (i >= admitted) {
            into[i].stays = into[i].over_quota = true;
            continue;
        }
        items.push_back(entries[i].item);
        items.back().may_come_again = true;
        places.push_back(i);
    }
    auto answers = co_await deliver(there_, std::move(items), app_.settings.store_timeout);
    for (std::size_t n = 0; n < answers.size(); ++n) {
        const auto& item = entries[places[n]].item;
        auto& got = into[places[n]].got = std::move(answers[n]);
        into[places[n]].stays = got.failed != nullptr;
        if (got.failed) continue;
        if (got.refused) {
            counts.refused(app_, item, got.refused);
        } else {
            tell_submitted(app_.events, item, got.answer);
        }
    }
}

// One that cannot be declared now does not hold up the tasks beside it.
awaitable<void> courier::declare_those_of(std::span<const outbox_entry> entries, std::vector<brought>& into) {
    std::exception_ptr failed;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (entries[i].schedule.empty()) continue;
        into[i].stays = true;
        try {
            if (!failed) into[i].stays = !co_await declare(entries[i]);
        } catch (const store_error&) {
            failed = std::current_exception();
        }
        if (into[i].stays) into[i].got.failed = failed;
    }
    if (failed && std::ranges::all_of(into, &brought::stays)) std::rethrow_exception(failed);
}

// False: not by this process. Its machine does not know the time zone, or a later version has written what is there.
awaitable<bool> courier::declare(const outbox_entry& entry) {
    std::string why;
    try {
        std::vector<schedule_record> one;
        one.push_back(decode_schedule(entry.schedule));
        co_await declare_all(there_.tasks(), std::move(one), app_.zone_finder());
        co_return true;
    } catch (const store_error&) {
        throw;
    } catch (const error& e) {
        why = e.what();
    }
    of_.complain("errand_outbox, batch " + entry.batch + ", place " + std::to_string(entry.place) +
                 ": the schedule is not declared yet: " + why);
    co_return false;
}

}  // namespace errand::detail
