#include "handlers.hpp"

#include <chrono>
#include <stdexcept>

namespace committed {

errand::awaitable<bool> write_once::perform(std::int64_t id) {
    auto& self = co_await errand::this_task();
    const bool first = co_await errand::transaction(*in_.db, [&](auto& tx) -> errand::awaitable<bool> {
        if (!co_await self.once(tx)) co_return false;
        co_await tx.execute(errand::test::sql("INSERT INTO note(id, text) VALUES(?, ?)"), id, "once");
        co_return true;
    });
    if (in_.fail_after_commit-- > 0) throw std::runtime_error{"as if the worker had died"};
    co_return first;
}

errand::awaitable<void> counted::perform(std::int64_t number, std::int64_t due) {
    const auto now = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
    const std::lock_guard lock{in_.guard};
    ++in_.runs[number];
    if (now.time_since_epoch().count() < due) ++in_.early;
    co_return;
}

}  // namespace committed

ERRAND_DEFINE_HANDLER(committed::receipt)
ERRAND_DEFINE_HANDLER(committed::named)
ERRAND_DEFINE_HANDLER(committed::soon_shelved)
ERRAND_DEFINE_HANDLER(committed::unshelved)
ERRAND_DEFINE_HANDLER(committed::soon_free)
ERRAND_DEFINE_HANDLER(committed::confided)
ERRAND_DEFINE_HANDLER(committed::counted)
ERRAND_DEFINE_HANDLER(committed::counted_by_name)
ERRAND_DEFINE_HANDLER(committed::write_once)
