#include "core/random.hpp"

#include <utility>

namespace errand {
namespace {

thread_local seeded_chance* chance_in_force = nullptr;

// 53 bits, as a double holds them: the same on every platform.
double unit_of(std::mt19937_64& engine) { return static_cast<double>(engine() >> 11U) * 0x1p-53; }

// One a thread: no lock, and two threads never share a sequence. random_device is too dear to ask for each number.
std::mt19937_64& engine_of_thread() {
    thread_local std::mt19937_64 engine = [] {
        std::random_device source;
        std::seed_seq seed{source(), source(), source(), source(), source(), source(), source(), source()};
        return std::mt19937_64{seed};
    }();
    return engine;
}

}  // namespace

double random_unit() { return chance_in_force ? chance_in_force->unit() : unit_of(engine_of_thread()); }

std::uint64_t random_bits() { return engine_of_thread()(); }

double seeded_chance::unit() { return unit_of(engine_); }

chance_scope::chance_scope(seeded_chance& from) noexcept : before_{std::exchange(chance_in_force, &from)} {}
chance_scope::~chance_scope() { chance_in_force = before_; }

std::optional<std::uint64_t> next_serial() noexcept {
    if (!chance_in_force) return std::nullopt;
    return chance_in_force->serial();
}

}  // namespace errand
