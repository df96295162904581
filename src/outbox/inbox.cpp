// Effects that happen once: a task says in its transaction that it has done its work. What is said is kept as long as the
// task may come again.
#include <errand/detail/once.hpp>
#include <errand/error.hpp>

#include "core/attempt_rules.hpp"
#include "outbox/sql_transaction.hpp"
#include "runtime/app_core.hpp"
#include "runtime/on_loop.hpp"

#include <algorithm>

namespace errand::detail {

namespace {

// A record must not go before the task's last attempt can come.
constexpr duration least_kept = std::chrono::days{1};
constexpr std::int64_t most_effects = 100;
constexpr std::int64_t day = 86'400'000;  // ms

std::string names_of(const std::vector<delivered_task>& tasks) {
    std::string all;
    for (const auto& one : tasks) {
        all += all.empty() ? "[" : ",";
        all += "[\"" + to_text(one.id) + "\"," + std::to_string(one.life) + "]";
    }
    return all + "]";
}

// Also what has ended otherwise than by success: as long as it is kept, it may be revived.
awaitable<std::vector<delivered_task>> able_to_run(loop& there, std::vector<delivered_task> asked) {
    std::vector<delivered_task> able;
    for (const auto& one : asked) {
        const auto found = co_await there.tasks().find(one.id);
        const bool kept = found && incarnation_of(found->body) == one.life;
        if (kept && found->where != state::success) able.push_back(one);
    }
    co_return able;
}

}  // namespace

awaitable<bool> record_effect(std::shared_ptr<transaction_level> in, effect_key of) {
    auto& on = in->of()->on();
    try {
        const auto got =
            co_await run_statement(in, on.statements()["inbox.record"],
                                   {on.name_space(), std::move(of.task), static_cast<std::int64_t>(of.life),
                                    std::int64_t{std::max(of.retention, least_kept).count()}});
        co_return got.affected > 0;
    } catch (const serialization_failure&) {
        throw;
    } catch (const database_error& e) {
        throw database_error{
            std::string{"self.once(tx): "} + e.what() +
                " (the table errand_inbox is made by db.install(), or `errand outbox install --db " +
                on.shown_url() + "`)",
            e.code()};
    }
}

awaitable<std::size_t> database_core::clean_effects() {
    const auto over = co_await run_alone(statements_["inbox.over"], {name_space(), most_effects});
    std::vector<delivered_task> asked;
    for (const auto& [id, life] : rows_in<std::pair<std::string, std::uint64_t>>(over)) {
        if (const auto parsed = parse_task_id(id)) asked.push_back({*parsed, life});
    }
    if (asked.empty()) co_return 0;
    const auto looked_at = asked.size();
    const auto able =
        co_await on_loop(app_.background(), [&](loop& there) { return able_to_run(there, asked); });
    // A task that can still run may ask again.
    if (!able.empty()) co_await run_alone(statements_["inbox.put_off"], {day, name_space(), names_of(able)});
    std::erase_if(asked, [&](const delivered_task& one) {
        return std::ranges::any_of(able, [&](const auto& other) {
            return other.id == one.id && other.life == one.life;
        });
    });
    if (!asked.empty()) co_await run_alone(statements_["inbox.drop"], {name_space(), names_of(asked)});
    co_return looked_at;
}

}  // namespace errand::detail
