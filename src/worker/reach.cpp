#include "worker/reach.hpp"

#include <errand/error.hpp>

#include "runtime/app_core.hpp"

namespace errand {

awaitable<void> reach(loop& there, const detail::app_core& app) {
    try {
        co_await there.ready();
    } catch (const usage_error& e) {
        if (!app.serves_several()) throw;
        throw usage_error{app.label() + e.what()};
    } catch (const store_error& e) {
        if (!app.serves_several()) throw;
        throw store_error{app.label() + e.what()};
    }
}

}  // namespace errand
