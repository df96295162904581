// Sends spans to a collector by OTLP over HTTP, as JSON, in batches, on a thread of its own. What is more than it keeps while the
// collector is slow or away is dropped and counted: nobody ever waits for it.
#pragma once

#include <errand/tracer.hpp>

#include "core/otlp_target.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

namespace errand {

class otlp_exporter final : public tracer {
public:
    static constexpr std::size_t most_kept = 8192;
    static constexpr std::size_t most_at_once = 512;

    // `dropped` counts; `trouble` is told in words when spans do not arrive, and when they do again, on its thread.
    otlp_exporter(otlp_target to, std::shared_ptr<std::atomic<std::uint64_t>> dropped,
                  std::function<void(std::string_view)> trouble);
    // Sends what is left, for two seconds at most.
    ~otlp_exporter() override;

    void ended(span one) noexcept override;

private:
    class sender;
    std::unique_ptr<sender> sender_;
};

}  // namespace errand
