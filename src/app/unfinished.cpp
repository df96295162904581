#include "app/unfinished.hpp"

#include "app/open_store.hpp"
#include "core/config_text.hpp"
#include "runtime/app_core.hpp"

#include <boost/asio/co_spawn.hpp>

#include <set>
#include <string>
#include <utility>

namespace errand {
namespace {

std::size_t unfinished_tasks(const overview_answer& seen) {
    auto count = seen.working;
    for (const auto& one : seen.queues) count += one.ready + one.delayed + one.retry + one.waiting;
    return count;
}

awaitable<std::size_t> look(store& in) {
    co_await in.open();
    co_return unfinished_tasks(co_await in.overview());
}

std::size_t unfinished_in(detail::app_core& core, const std::string& name_space) {
    std::size_t count = 0;
    boost::asio::io_context io;
    store_settings with;
    with.url = core.settings.store;
    with.name_space = name_space;
    with.home = core.memory;
    const auto there = open_store(io, std::move(with));
    boost::asio::co_spawn(io, look(*there), [&](const std::exception_ptr& failed, std::size_t found) {
        if (!failed) count = found;
    });
    io.run();
    there->close();
    return count;
}

}  // namespace

std::size_t unfinished_in_memory(detail::app_core& core) noexcept {
    if (!keeps_in_memory(core.settings) || !core.memory->kept) return 0;
    std::size_t count = 0;
    try {
        std::set<std::string> names{core.settings.name_space};
        for (const auto& [name, weight] : core.settings.name_spaces) names.insert(name);
        for (const auto& name : names) count += unfinished_in(core, name);
    } catch (...) {
        // Only a courtesy.
    }
    return count;
}

}  // namespace errand
