// Which server of a cluster a connection is made to next, and when. It knows no slots: whoever is asked for keys that are not his says
// where they are. Pure.
#pragma once

#include <errand/time.hpp>

#include "store/redis/address.hpp"

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace errand::redis {

// The place that an error names, "MOVED 916 host:port", whatever stands before it. An empty host is that of who said so.
std::optional<endpoint> moved_to(std::string_view error);

// All servers that CLUSTER NODES names and that have an address: by that, and by their name where they have one.
std::vector<endpoint> nodes_in(std::string_view text);

// Between three and five fourths of it, for a chance in [0, 1): many that wait for the same thing are not to ask all at once.
duration varied(duration length, double chance);
// Before the next try to make a connection, after so many; `sent_on`: whoever was connected to last said where to go.
duration pause_of_tries(unsigned tries, bool sent_on, double chance);

class place {
public:
    // Those that the URL names, one at least.
    explicit place(std::vector<endpoint> seeds) : seeds_{std::move(seeds)}, at_{seeds_.front()} {}

    const endpoint& at() const noexcept { return at_; }
    // All that are known, those of the URL first.
    std::vector<endpoint> known() const;
    // The server here has said who has the keys; when that is itself, it is left.
    void follow(endpoint to);
    // It cannot be reached, or is not to be asked: the next one that is known.
    void leave();
    // What the cluster says of its servers: they are asked when none of the URL's is there.
    void learn(std::vector<endpoint> nodes);

private:
    std::vector<endpoint> seeds_, learnt_;
    endpoint at_;
    std::size_t next_ = 1;  // among the seeds and, behind them, the learnt ones
};

}  // namespace errand::redis
