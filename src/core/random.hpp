// The one source of chance: a generator for each thread, seeded by the system; or, for a scope, one that repeats itself.
#pragma once

#include <cstdint>
#include <optional>
#include <random>

namespace errand {

// In [0, 1).
double random_unit();
// True chance, also under a chance_scope: for what is to differ from all others.
std::uint64_t random_bits();

// Chance that is the same for the same seed.
class seeded_chance {
public:
    explicit seeded_chance(std::uint64_t seed) : engine_{seed} {}
    double unit();
    // 1, 2, 3, …
    std::uint64_t serial() noexcept { return ++serial_; }

private:
    std::mt19937_64 engine_;
    std::uint64_t serial_ = 0;
};

// As long as it stands, this thread draws from that source.
class chance_scope {
public:
    explicit chance_scope(seeded_chance& from) noexcept;
    ~chance_scope();
    chance_scope(const chance_scope&) = delete;
    chance_scope& operator=(const chance_scope&) = delete;

private:
    seeded_chance* before_;
};

// The next number of a seeded source, for what is only to differ from all others: identities then repeat themselves, and
// their order is that in which they were given. Nothing where chance is true.
std::optional<std::uint64_t> next_serial() noexcept;

}  // namespace errand
