// In which order a worker looks at its queues.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace errand {

// Every order holds every queue once: a queue that stands late is served when those before it have too
// little.
class queue_choice {
public:
    // Name to weight (>= 1). `strict`: always by falling weight; else each place is drawn with a chance that
    // grows with the weight.
    queue_choice(const std::map<std::string, int>& weights, bool strict);

    // `random`: draws from [0, 1).
    std::vector<std::string> order(const std::function<double()>& random) const;
    const std::vector<std::string>& names() const noexcept { return names_; }

private:
    std::vector<std::string> names_;  // by falling weight, then by name
    std::vector<double> weights_;     // of names_
    bool strict_;
};

}  // namespace errand
