#include "sql/request_thread.hpp"

#include <atomic>
#include <thread>
#include <utility>

namespace errand::sql {
namespace {

constexpr int most_requests = 16;
std::atomic<int> requests{0};

}  // namespace

void on_request_thread(std::function<void()> work) noexcept {
    if (requests.fetch_add(1) < most_requests) {
        try {
            std::thread{[work = std::move(work)] {
                work();
                --requests;
            }}.detach();
            return;
        } catch (...) {
            // Out of memory or threads.
        }
    }
    --requests;
}

}  // namespace errand::sql
