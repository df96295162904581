// Where it is counted what the quota of a namespace has let through, and how many requests are made. The rules are in
// core/quota_rules.hpp, and what is set among the settings (core/quota_record.hpp).
#pragma once

#include <errand/awaitable.hpp>
#include <errand/time.hpp>

#include "core/quota_rules.hpp"

#include <cstdint>
#include <string>

namespace errand {

// Those that go by this name, by whomever: never more than so many in any such time, by the store's clock.
struct request_count {
    std::string name;
    std::int64_t most = 1;
    duration per{1000};
};

class quota_store {
public:
    // Only asked where a quota is set. A call that comes again takes again: then a little less is let through for a while.
    virtual awaitable<quota_answer> take_quota(quota_ask ask) = 0;
    // One more, with the mark by which it is taken back; empty: it is one too many, and not counted. A call that comes again
    // counts again.
    virtual awaitable<std::string> count_request(request_count of) = 0;
    virtual awaitable<void> take_back_request(request_count of, std::string mark) = 0;

protected:
    ~quota_store() = default;
};

}  // namespace errand
