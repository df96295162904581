// Schedules are found by their id and listed by handler and key.
#include <errand/detail/engine.hpp>
#include <errand/error.hpp>
#include <errand/schedule.hpp>

#include "client/schedule_change.hpp"
#include "client/schedule_info.hpp"
#include "core/hex.hpp"
#include "core/schedule_rules.hpp"
#include "runtime/caller_loop.hpp"
#include "runtime/handlers.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>

namespace errand {
namespace {

constexpr std::size_t schedules_per_call = 500;

bool fits_filter(const schedule_record& record, const schedule_filter& which, const std::string& identity) {
    if (which.state && record.state != *which.state) return false;
    return which.handler.empty() || record.run.handler == which.handler || record.identity == identity;
}

// From where on, and while names begin so; of a handler that this program does not know it could be anywhere.
struct listed_part {
    std::string identity{};
    std::string prefix{};
};

listed_part listed_part_of(const schedule_filter& which) {
    if (which.handler.empty()) return {};
    const auto* handler = handlers::find(which.handler);
    if (!handler) return {.identity = which.handler};
    return {.identity = handler->identity, .prefix = handler->identity + '\n'};
}

awaitable<schedule_page> listed_schedules_on(loop& there, schedule_filter which, std::string after) {
    const auto part = listed_part_of(which);
    after = std::max(after, part.prefix);
    schedule_page page;
    for (bool more = true; more;) {
        const auto limit =
            which.state || !which.handler.empty() ? schedules_per_call : which.limit - page.schedules.size();
        auto got = co_await there.tasks().list_schedules(after, limit);
        more = got.more && !got.schedules.empty();
        for (std::size_t n = 0; n < got.schedules.size(); ++n) {
            if (!got.names[n].starts_with(part.prefix)) co_return page;
            if (page.schedules.size() == which.limit) {
                page.next = to_hex(after);
                co_return page;
            }
            after = got.names[n];
            const auto record = decode_schedule(got.schedules[n].record);
            if (fits_filter(record, which, part.identity)) page.schedules.push_back(info_of(record));
        }
        if (more && page.schedules.size() == which.limit) {
            page.next = to_hex(after);
            co_return page;
        }
    }
    co_return page;
}

awaitable<std::optional<schedule>> found_schedule_on(loop& there, detail::app_core* app, task_id id) {
    const auto seen = co_await look_at_schedule(there.tasks(), id);
    co_return seen.record ? std::optional{schedule{*app, id.bytes}} : std::nullopt;
}

awaitable<std::optional<schedule>> find_schedule_of(detail::app_core* app, task_id id) {
    const auto executor = co_await boost::asio::this_coro::executor;
    auto* const core = &core_for(executor, *app);
    auto look = [core, id](loop& there) { return found_schedule_on(there, core, id); };
    co_return co_await on_loop(caller_loop(executor, *core), std::move(look));
}

awaitable<std::optional<schedule>> no_schedule() { co_return std::nullopt; }

}  // namespace

schedule_info info_of(const schedule_record& record) {
    schedule_info info;
    info.id = to_text(id_of(record));
    info.key = record.key;
    info.handler = record.run.handler;
    info.timing = timing_text(record.timing);
    info.timezone = record.timing.timezone;
    info.state = record.state;
    if (record.state == schedule_state::active) info.next_at = record.next;
    info.last_tick = record.last_tick;
    if (record.last_run != task_id{}) info.last_run = to_text(record.last_run);
    info.runs = record.runs;
    info.skipped = record.skipped;
    info.missed = record.missed;
    std::error_code not_json;
    auto args = boost::json::parse(record.run.args, not_json);
    if (!not_json && args.is_array()) info.args = std::move(args.get_array());
    info.queue = record.run.queue;
    info.max_runs = record.terms.max_runs;
    info.begin = record.timing.begin;
    info.end = record.timing.end;
    info.created_at = record.created;
    return info;
}

awaitable<schedule_page> detail::list_schedules(app_core& app, schedule_filter which, std::string after) {
    if (which.limit < 1 || which.limit > 1000)
        throw usage_error{"app.schedules: .limit = " + std::to_string(which.limit) + ": must be 1..1000"};
    const auto name = from_hex(after);
    if (!name) throw usage_error{"app.schedules: `after` is not what an earlier page gave as `next`"};
    return on_caller_loop(&app, [which = std::move(which), after = *name](loop& there) {
        return listed_schedules_on(there, which, after);
    });
}

awaitable<std::optional<schedule>> detail::find_schedule(app_core& app, std::string id) {
    const auto known = parse_task_id(id);
    if (!known) return no_schedule();
    return find_schedule_of(&app, *known);
}

}  // namespace errand
