#include "runtime/metrics_page.hpp"

#include "runtime/app_core.hpp"
#include "runtime/outbox_port.hpp"
#include "runtime/process_meter.hpp"

#include <algorithm>

namespace errand {

std::string metrics_page(detail::app_core& app, metric_form form) {
    std::vector<outbox_counts> all;
    for (const auto& one : app.own().outboxes()) {
        auto counts = one->counts();
        // A program may have opened the same database twice.
        const auto same = std::ranges::find(all, counts.database, &outbox_counts::database);
        if (same == all.end()) {
            all.push_back(std::move(counts));
        } else {
            same->delivered += counts.delivered;
            same->refused += counts.refused;
        }
    }
    return app.meter.page(form, all);
}

}  // namespace errand
