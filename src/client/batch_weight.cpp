#include "client/batch_weight.hpp"

#include <errand/error.hpp>

#include <algorithm>
#include <string>

namespace errand {

namespace {
// One call carries it all: what takes longer to send than a connection may be silent would never arrive.
constexpr std::size_t most_batch_bytes = std::size_t{32} * 1024 * 1024;
// So many keep others waiting for a moment only.
constexpr std::size_t most_of_a_step = 500;

std::size_t weight_with(std::size_t dependencies) noexcept { return 1 + weight_of_dependency * dependencies; }
}  // namespace

std::size_t batch_weight_of(const submission_item& item) noexcept { return weight_with(item.after.size()); }

std::size_t begin_of_step(std::span<const std::size_t> dependencies, std::size_t to) noexcept {
    const auto least = to - std::min(to, most_of_a_step);
    std::size_t weight = 0;
    for (auto at = to; at > least; --at) {
        const auto its = dependencies[at - 1];
        weight += weight_with(its);
        if (at < to && weight > heaviest_batch) return at;
        if (its > store::parents_per_call) return at - 1;
    }
    return least;
}

void check_weight(std::span<const submission_item> items) {
    std::size_t bytes = 0, weight = 0, dependencies = 0;
    for (const auto& item : items) {
        bytes += item.body.size();
        weight += batch_weight_of(item);
        dependencies += item.after.size();
    }
    const auto holds = "the transaction holds " + std::to_string(items.size()) + " tasks ";
    if (bytes > most_batch_bytes) {
        throw usage_error{holds + "of " + std::to_string(bytes) + " bytes; one commit carries at most " +
                          std::to_string(most_batch_bytes) +
                          ": pass references to the data, or submit in several transactions"};
    }
    // A single task is registered in steps, however many it depends on.
    if (weight <= heaviest_batch || items.size() == 1) return;
    throw usage_error{holds + "and " + std::to_string(dependencies) +
                      " dependencies of theirs; one commit carries at most " +
                      std::to_string(heaviest_batch) + " tasks, each dependency counted as " +
                      std::to_string(weight_of_dependency) +
                      " of them: submit in several transactions, or one task that submits the others"};
}

}  // namespace errand
