// Submitting the lines of an import so that each counts once however often it is sent, and the record of how far it has come
// (core/import_record.hpp). In the namespace that the app stands for; each call is for any executor.
#pragma once

#include "client/prepared_submission.hpp"
#include "core/import_record.hpp"
#include "core/quota_rules.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace errand {

struct import_item {
    std::uint64_t line = 0;
    prepared_submission task;
    std::optional<incarnation> life{};  // its own; else it follows from the line and when it is sent
};

// One of this line of this import. Throws usage_error, bad_data and quota_exceeded when it cannot be submitted at all.
import_item prepare_line(detail::draft from, std::string_view import, std::uint64_t line);

struct import_answer {
    std::uint64_t accepted = 0;
    std::uint64_t duplicates = 0;  // of tasks that were no lines of this import sent before
    std::vector<std::pair<std::uint64_t, std::string>> refused;  // line, and why
    std::vector<delivered_task> sent;
};

// How many of so many may be sent now.
awaitable<quota_answer> ask_import_quota(detail::app_core& app, std::int64_t count);
// Sends them, submitted at this time; after `most`, or the store_timeout of the app, nothing of them is sent any more. Throws
// store_error when some were not taken, or not for sure: then all are to be sent again.
awaitable<import_answer> send_import(detail::app_core& app, std::vector<import_item> items, time_point at,
                                     std::chrono::nanoseconds most = std::chrono::nanoseconds::max());
// These are behind the record: the store need not know them any more.
awaitable<void> forget_import(detail::app_core& app, std::vector<delivered_task> sent);

struct named_import {
    std::string name;
    import_record record;
};

// The stamp is 0 when there is none of this name.
awaitable<import_record> find_import(detail::app_core& app, std::string name);
// All that are known, by name.
awaitable<std::vector<named_import>> list_imports(detail::app_core& app);
// Puts this record in the place of the one of that stamp (0: of none): with the store's time as `next_at`, if there are to be next
// ones, and as `began` where that is not set. Throws settings_conflict when it is another one by now.
awaitable<import_record> keep_import(detail::app_core& app, std::string name, std::uint64_t seen,
                                     import_record record);
// Of one that is as it was found: another process that works on it finds that it does so no more before it forgets anything.
// Throws as keep_import() does.
awaitable<import_record> take_over_import(detail::app_core& app, std::string name, import_record record);
// The name is free again. Throws as keep_import() does.
awaitable<void> drop_import(detail::app_core& app, std::string name, std::uint64_t seen);

// By the store's clock.
awaitable<time_point> store_time(detail::app_core& app);
// Of all queues.
awaitable<std::uint64_t> count_ready(detail::app_core& app);

}  // namespace errand
