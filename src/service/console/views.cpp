// The table of views.
#include "service/console/view.hpp"

#include <algorithm>
#include <array>

namespace errand::console {

const view* find_view(std::string_view name) noexcept {
    static constexpr std::array all{
        view{"overview", look_at_overview},   view{"queues", look_at_queues},
        view{"queue", look_at_queue},         view{"workers", look_at_workers},
        view{"handlers", look_at_handlers},   view{"days", look_at_days},
        view{"schedules", look_at_schedules}, view{"limits", look_at_limits},
        view{"runs", look_at_runs},           view{"health", look_at_health},
        view{"task", look_at_task},           view{"graph", look_at_graph},
        view{"tenants", look_at_tenants},
    };
    const auto at = std::ranges::find(all, name, &view::name);
    return at == all.end() ? nullptr : &*at;
}

}  // namespace errand::console
