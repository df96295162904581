// One namespace of one pool, as lmstfy's API serves it: an app of errand on that store, and where its jobs are taken.
//
// The service's own namespace lives on the loop that serves; any other has an app of its own, whose loop runs on a thread of
// its own. What is done with jobs is done on the tenant's loop: on_tenant() goes there.
#pragma once

#include <errand/app.hpp>

#include "runtime/app_core.hpp"
#include "runtime/loop.hpp"
#include "runtime/on_loop.hpp"
#include "service/exchange.hpp"

#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace errand::lmstfy {

class tenant : public std::enable_shared_from_this<tenant> {
public:
    // The service's own namespace. `work`: its exchange, which the REST interface shares.
    tenant(app& own, loop& home, std::function<std::shared_ptr<web::exchange>()> work);
    // Another one: throws usage_error for a store that cannot be one.
    tenant(std::string pool, config settings);

    const std::string& pool() const noexcept { return pool_; }
    const std::string& name_space() const noexcept { return core_->settings.name_space; }
    app& tasks() noexcept { return *of_; }
    detail::app_core& core() noexcept { return *core_; }
    loop& home() noexcept { return *home_; }

    // On its loop: its exchange, connected. Throws store_error.
    awaitable<std::shared_ptr<web::exchange>> work();
    // From the service's loop, once no request is under way: ends what is its own.
    awaitable<void> stop();

private:
    const std::string pool_;
    std::unique_ptr<app> own_{};  // none: the service's own namespace
    app* of_;
    detail::app_core* core_;
    loop* home_;
    std::function<std::shared_ptr<web::exchange>()> shared_work_{};
    std::shared_ptr<web::exchange> work_{};  // of its loop
};

// `what`: awaitable<T>(tenant&), called on the tenant's loop with a store that is open. Kept until it has ended.
template <class What>
auto on_tenant(std::shared_ptr<tenant> of, What what) -> std::invoke_result_t<What&, tenant&> {
    co_return co_await on_loop(of->home(), [of, what = std::move(what)](loop&) mutable { return what(*of); });
}

}  // namespace errand::lmstfy
