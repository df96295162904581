// What an error reply of Redis means for the call that got it: decided here, once, from the reply's first word, or that of
// the error that a script ended with. Pure.
#pragma once

#include <string>
#include <string_view>

namespace errand::redis {

enum class remedy {
    load_script,  // the script is not there: send it along
    wait,         // it will pass (loading, failing over, busy): repeat the call
    reconnect,    // this server takes no changes (any more): another may be reached now
    follow,       // another server of the cluster has the keys, and this one did nothing
    free_memory,  // Redis is full: submissions are refused, reports wait
    give_up,      // repeating does not help
};

struct refusal {
    remedy what;
    std::string sentence;  // for people: what Redis said, and what to do about it
};

refusal judge(std::string_view error);

}  // namespace errand::redis
