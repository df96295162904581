#include "core/random.hpp"

#include <random>

namespace errand {

double random_unit() {
    thread_local std::mt19937_64 engine{[] {
        std::random_device device;
        std::seed_seq seed{device(), device(), device(), device()};
        return std::mt19937_64{seed};
    }()};
    return std::uniform_real_distribution<double>{0.0, 1.0}(engine);
}

}  // namespace errand
