// Effects that happen once: a task says in its transaction that it has done its work.
#include <errand/detail/once.hpp>
#include <errand/error.hpp>

#include "transaction/work.hpp"

#include <algorithm>

namespace errand::detail {

namespace {
// A record must not go before the task's last attempt can come.
constexpr duration least_kept = std::chrono::days{1};
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

}  // namespace errand::detail
