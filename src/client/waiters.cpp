#include "client/waiters.hpp"

#include <errand/proxy.hpp>

#include "runtime/caller_loop.hpp"
#include "runtime/stored_info.hpp"

namespace errand {
namespace {

awaitable<std::vector<limit_waiters>> waiters_on(loop& there, std::string limit, std::size_t most) {
    auto& in = there.tasks();
    std::vector<limit_waiters> all;
    for (const auto& gate : co_await in.waiting_at(std::move(limit), most)) {
        limit_waiters one{.keyed = gate.key.find_first_not_of('\0') != gate.key.npos,
                          .waiting = gate.waiting};
        const auto found = co_await in.find(gate.first);
        if (found && found->where == state::ready) one.first = info_of(*found);
        all.push_back(std::move(one));
    }
    co_return all;
}

}  // namespace

awaitable<std::vector<limit_waiters>> waiters_at(app& of, std::string limit, std::size_t most) {
    return on_caller_loop(&detail::core_of(of), [limit = std::move(limit), most](loop& there) {
        return waiters_on(there, limit, most);
    });
}

}  // namespace errand
