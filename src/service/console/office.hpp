// What the requests of the console share. On the service's loop.
#pragma once

#include "runtime/async_gate.hpp"
#include "service/console/action_log.hpp"
#include "service/console/assets.hpp"
#include "service/console/day_book.hpp"
#include "service/console/live.hpp"
#include "service/console/pulse.hpp"
#include "service/console/runs.hpp"
#include "service/console/session.hpp"
#include "service/console/survey.hpp"
#include "service/console/tenants.hpp"
#include "service/hub.hpp"
#include "service/shared_look.hpp"

#include <chrono>
#include <memory>

namespace errand::console {

class office {
public:
    // `of` outlives it.
    explicit office(web::hub& of)
        : around{of},
          files{of.options.console},
          whole{of.app, of.loop},
          beat{whole, of.loop},
          streams{of.app, of.loop},
          bulk{of.app, of.loop, actions},
          name_spaces{of.app, of.loop},
          lately{of.loop, std::chrono::minutes{1}},
          days{of.app} {}

    const web::hub& around;
    assets files;
    sessions logins;
    action_log actions;
    survey whole;
    pulse beat;
    live streams;
    runs bulk;
    tenants name_spaces;
    // What became of attempts: workers tell it once a minute.
    web::shared_look<figures_info> lately;
    day_book days;

    // Whoever watches is told nothing more, and asks again elsewhere.
    void end_streams() { streams.end(); }
    // After the last request.
    awaitable<void> stop() {
        co_await streams.stop();
        co_await bulk.stop();
        co_await beat.stop();
        co_await name_spaces.stop();
    }
};

// The one of this service, made at the first call.
inline office& office_of(web::hub& of) {
    if (!of.console) of.console = std::make_shared<office>(of);
    return *of.console;
}

}  // namespace errand::console
