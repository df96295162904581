#include "transaction/loop_end.hpp"

#include "transaction/pool.hpp"

#include <algorithm>
#include <mutex>
#include <vector>

namespace errand::sql::loop_end {

namespace asio = boost::asio;

namespace {

// A service of the loop: it is shut down before those that sockets belong to are gone.
class listeners final : public asio::execution_context::service {
public:
    static inline asio::execution_context::id id;

    explicit listeners(asio::execution_context& of) : service{of}, of_{static_cast<asio::io_context&>(of)} {}

    void add(const std::weak_ptr<pool>& one) {
        const auto is_same = [&](const auto& other) {
            return !other.owner_before(one) && !one.owner_before(other);
        };
        const std::lock_guard lock{guard_};
        if (std::ranges::any_of(all_, is_same)) return;
        std::erase_if(all_, [](const auto& other) { return other.expired(); });
        all_.push_back(one);
    }

private:
    void shutdown() override {
        for (const auto& one : all_) {
            if (const auto there = one.lock()) there->leave(of_);
        }
    }

    asio::io_context& of_;
    std::mutex guard_;  // of what follows
    std::vector<std::weak_ptr<pool>> all_;
};

}  // namespace

void tell(asio::io_context& of, const std::weak_ptr<pool>& whom) {
    asio::use_service<listeners>(of).add(whom);
}

}  // namespace errand::sql::loop_end
