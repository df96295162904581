#include "store/redis/refusal.hpp"

#include <algorithm>
#include <array>

namespace errand::redis {
namespace {

struct row {
    std::string_view word;
    remedy what;
    std::string_view advice;
};

constexpr std::string_view of_a_cluster =
    "this Redis is a server of a cluster: write redis+cluster:// in place of redis:// in the store's URL";

constexpr std::array rows{
    row{"NOSCRIPT", remedy::load_script, ""},
    row{"OOM", remedy::free_memory,
        "Redis is full: raise its maxmemory, or let workers finish and retention delete tasks"},
    row{"LOADING", remedy::wait, "Redis is still loading its data"},
    row{"BUSY", remedy::wait, "Redis is busy with a long script"},
    row{"READONLY", remedy::reconnect, "this Redis is a read-only replica: connect to its master"},
    row{"MASTERDOWN", remedy::reconnect, "this Redis is a replica without its master"},
    row{"MISCONF", remedy::wait, "Redis refuses writes because it cannot save to disk: see its log"},
    row{"NOREPLICAS", remedy::wait, "Redis refuses writes because it has too few replicas"},
    row{"MOVED", remedy::follow, of_a_cluster},
    row{"ASK", remedy::wait, "the cluster is moving these keys"},
    row{"TRYAGAIN", remedy::wait, "the cluster is moving these keys"},
    row{"CLUSTERDOWN", remedy::reconnect, "the cluster is down, or a server of it is cut off"},
    row{"NOAUTH", remedy::give_up, "Redis wants a password: put it into the URL, redis://user:password@host"},
    row{"WRONGPASS", remedy::give_up, "Redis does not accept this user and password"},
    row{"NOPERM", remedy::give_up,
        "the user may not do this: it needs EVALSHA, EVAL and SCRIPT, SUBSCRIBE, all keys and channels \"errand:*\" and "
        "what the scripts call"},
};

// Redis before 7 wraps the error that a command in a script was refused with:
// "ERR Error running script (call to f_5ba…): @user_script:1: @user_script: 1: -READONLY You can't write …".
std::string_view inner_of(std::string_view error) {
    constexpr std::string_view place = "@user_script";
    const auto at = error.starts_with("ERR ") ? error.rfind(place) : error.npos;
    if (at == error.npos) return error;
    error.remove_prefix(at + place.size());
    error.remove_prefix(std::min(error.find_first_not_of(": 0123456789"), error.size()));
    if (error.starts_with('-')) error.remove_prefix(1);
    return error;
}

}  // namespace

refusal judge(std::string_view error) {
    const auto said = inner_of(error);
    const auto first = said.substr(0, said.find(' '));
    for (const auto& [word, what, advice] : rows) {
        if (first == word) return {what, std::string{advice} + " (" + std::string{error} + ")"};
    }
    // Its setup asks for a database of a server that, in a cluster, has one only.
    if (said.find("SELECT is not allowed in cluster mode") != said.npos) {
        return {remedy::give_up,
                std::string{of_a_cluster} + ", without a database (" + std::string{error} + ")"};
    }
    return {remedy::give_up, "Redis answered: " + std::string{error}};
}

}  // namespace errand::redis
