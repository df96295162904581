#include "core/random.hpp"

#include <utility>

namespace errand {
namespace {

thread_local seeded_chance* in_force = nullptr;

// 53 bits, as a double holds them: the same on every platform.
double unit_of(std::mt19937_64& engine) { return static_cast<double>(engine() >> 11U) * 0x1p-53; }

}  // namespace

double random_unit() {
    if (in_force) return in_force->unit();
    thread_local std::mt19937_64 engine{[] {
        std::random_device device;
        std::seed_seq seed{device(), device(), device(), device()};
        return std::mt19937_64{seed};
    }()};
    return unit_of(engine);
}

double seeded_chance::unit() { return unit_of(engine_); }

chance_scope::chance_scope(seeded_chance& from) noexcept : before_{std::exchange(in_force, &from)} {}
chance_scope::~chance_scope() { in_force = before_; }

std::optional<std::uint64_t> next_serial() noexcept {
    if (!in_force) return std::nullopt;
    return in_force->serial();
}

}  // namespace errand
