#include "store/sqlite/stepwise_audit.hpp"

#include "store/sqlite/operations.hpp"

#include <array>

namespace errand::sqlite {
namespace {

class stepwise_audit final : public auditor {
public:
    stepwise_audit(engine_client& at, bool repair) : at_{at}, repair_{repair} {}

    awaitable<audit_step> next() override {
        const auto look = looks[step_];
        auto found = co_await at_.ask({.name = "audit", .reads = !repair_}, [&, this](operations& in) {
            auto cursor = cursor_;  // the call may be made again
            auto got = (in.checks.*look)(cursor, repair_);
            next_ = std::move(cursor);
            return got;
        });
        cursor_ = std::move(next_);
        if (cursor_.empty()) ++step_;
        found.more = step_ < looks.size();
        co_return found;
    }

private:
    static constexpr std::array looks{&audit::tasks, &audit::claims,   &audit::waiting, &audit::stages,
                                      &audit::links, &audit::counters, &audit::slots,   &audit::groups};

    engine_client& at_;
    bool repair_;
    std::size_t step_ = 0;
    std::string cursor_;
    std::string next_;
};

}  // namespace

std::unique_ptr<auditor> make_audit(engine_client& at, bool repair) {
    return std::make_unique<stepwise_audit>(at, repair);
}

}  // namespace errand::sqlite
