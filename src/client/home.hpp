// On which loop a caller's store calls are made.
#pragma once

#include "runtime/ambient.hpp"
#include "runtime/app_core.hpp"

namespace errand {

// The loop that the caller runs under, when it is one of this app; else the app's background loop.
inline loop& home_of(const boost::asio::any_io_executor& executor, detail::app_core& app) {
    const ambient* around = ambient_of(executor);
    if (around && around->app == &app && around->home) return *around->home;
    return app.background();
}

}  // namespace errand
