#include "app/span_export.hpp"

#include "runtime/app_core.hpp"
#include "runtime/otlp_exporter.hpp"
#include "runtime/process_meter.hpp"

#include <spdlog/logger.h>

#include <cstdlib>
#include <optional>
#include <string>

namespace errand {

std::shared_ptr<tracer> tracer_from_environment(detail::app_core& app) {
    auto to = otlp_target_of([](const std::string& name) -> std::optional<std::string> {
        const char* value = std::getenv(name.c_str());
        if (value == nullptr || *value == '\0') return std::nullopt;
        return std::string{value};
    });
    if (!to) return nullptr;
    return std::make_shared<otlp_exporter>(std::move(*to), app.meter.spans_dropped,
                                           [log = app.log](std::string_view text) { log->warn("{}", text); });
}

}  // namespace errand
