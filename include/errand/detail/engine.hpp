// What the templates call: erased functions, defined once in errand's own sources.
#pragma once

#include <errand/awaitable.hpp>
#include <errand/detail/wire.hpp>
#include <errand/limit.hpp>
#include <errand/options.hpp>
#include <errand/quota.hpp>
#include <errand/schedule.hpp>
#include <errand/settings.hpp>
#include <errand/task_info.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <typeindex>
#include <vector>

namespace errand {
class transaction_guard;
class joined_transaction;
}  // namespace errand

namespace errand::detail {

class app_core;
class open_transaction;
struct held_task;  // a submission that a transaction holds back

// Which task a handle is to.
struct task_ref {
    app_core* app = nullptr;
    std::array<unsigned char, 16> id{};
    std::uint64_t life = 0;
    bool duplicate = false;
    std::shared_ptr<held_task> held{};
    duration retention{0};  // how long it is kept once it has ended
};

// One submission, encoded and checked for shape, before it gets an id.
struct draft {
    app_core* app = nullptr;
    std::type_index handler = typeid(void);       // how the policy is found ...
    std::string wire_name{};                      // ... or by name, when it was submitted by name
    std::string args{};                           // a JSON array
    std::optional<std::string> biz_id{};          // from the handler's own biz_id
    std::optional<limit_keys> keys{};             // from its concurrency_key and rate_key
    bool item = false;                            // of the list that perform takes
    std::string collect_key{};                    // of an item
    std::shared_ptr<const options> extra{};       // may be null
    std::optional<duration> delay{};              // perform_in
    std::optional<time_point> at{};               // perform_at
    std::shared_ptr<open_transaction> held_by{};  // proxy.in(…)
};

// One declaration of a schedule. Of `every` the line is not there, of `cron` the interval.
struct schedule_draft {
    draft run{};  // what its runs are made of
    schedule_options how{};
    duration interval{0};
    std::optional<std::string> cron{};
};

// What holds the submissions of a guard back.
std::shared_ptr<open_transaction> held_of(const transaction_guard& guard);
std::shared_ptr<open_transaction> held_of(const joined_transaction& joined);

awaitable<task_ref> submit(draft one);
awaitable<std::vector<task_ref>> submit_bulk(std::vector<draft> all);

awaitable<schedule> declare_schedule(schedule_draft one);
awaitable<schedule_page> list_schedules(app_core& app, schedule_filter which, std::string after);
awaitable<std::optional<schedule>> find_schedule(app_core& app, std::string id);

awaitable<void> set_limit(app_core& app, std::string name, std::optional<limit_rule> rule);
awaitable<std::vector<limit_info>> list_limits(app_core& app);
awaitable<settings_info> configure_handler(app_core& app, std::string handler, handler_settings settings,
                                           configure_options how);
awaitable<settings_info> find_settings(app_core& app, std::string handler);
awaitable<quota_info> set_quota(app_core& app, quota rules, quota_options how);
awaitable<quota_info> current_quota(app_core& app);

// The result as JSON text; empty for void.
awaitable<std::string> wait_for_result(task_ref ref, std::optional<duration> within);
awaitable<task_info> fetch_info(task_ref ref);
awaitable<bool> cancel_task(task_ref ref);
awaitable<bool> revive_task(task_ref ref);
awaitable<bool> reschedule_task(task_ref ref, time_point due_at);
// The result of a task that has ended well, as JSON text.
awaitable<std::string> stored_result(app_core& app, std::string id);
// The id of the task of this handler with this biz_id, as text.
std::string id_of(const app_core& app, std::type_index handler, std::string_view biz_id);

std::string id_text(const task_ref& ref);
bool is_duplicate(const task_ref& ref) noexcept;

}  // namespace errand::detail
