#include "store/redis/refusal.hpp"

#include <array>

namespace errand::redis {
namespace {

struct row {
    std::string_view word;
    remedy what;
    std::string_view advice;
};

constexpr std::array rows{
    row{"NOSCRIPT", remedy::load_script, ""},
    row{"OOM", remedy::free_memory,
        "Redis is full: raise its maxmemory, or let workers finish and retention delete tasks"},
    row{"LOADING", remedy::wait, "Redis is still loading its data"},
    row{"BUSY", remedy::wait, "Redis is busy with a long script"},
    row{"READONLY", remedy::wait, "this Redis is a read-only replica: connect to its master"},
    row{"MASTERDOWN", remedy::wait, "this Redis is a replica without its master"},
    row{"MISCONF", remedy::wait, "Redis refuses writes because it cannot save to disk: see its log"},
    row{"NOREPLICAS", remedy::wait, "Redis refuses writes because it has too few replicas"},
    row{"TRYAGAIN", remedy::wait, "the cluster is moving these keys"},
    row{"CLUSTERDOWN", remedy::wait, "the cluster is down"},
    row{"NOAUTH", remedy::give_up, "Redis wants a password: put it into the URL, redis://user:password@host"},
    row{"WRONGPASS", remedy::give_up, "Redis does not accept this user and password"},
    row{"NOPERM", remedy::give_up,
        "the user may not do this: it needs EVALSHA, EVAL and SCRIPT, SUBSCRIBE, all keys and channels \"errand:*\" and "
        "what the scripts call"},
};

}  // namespace

refusal judge(std::string_view error) {
    // An error inside a script carries the inner one behind words of the script's own.
    for (const auto& [word, what, advice] : rows) {
        const auto at = error.find(word);
        const bool first = at == 0 && (error.size() == word.size() || error[word.size()] == ' ');
        const bool inner = at != error.npos && at > 0 && word == "OOM" && error.find("OOM command") == at;
        if (first || inner) return {what, std::string{advice} + " (" + std::string{error} + ")"};
    }
    return {remedy::give_up, "Redis answered: " + std::string{error}};
}

}  // namespace errand::redis
