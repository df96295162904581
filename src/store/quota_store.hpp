// Where it is counted what the quota of a namespace has let through, and how many requests are made. The rules are in
// core/quota_rules.hpp and core/request_rules.hpp, and what is set of a quota among the settings (core/quota_record.hpp).
#pragma once

#include <errand/awaitable.hpp>

#include "core/quota_rules.hpp"
#include "core/request_rules.hpp"

namespace errand {

class quota_store {
public:
    // Only asked where a quota is set. A call that comes again takes again: then a little less is let through for a while.
    virtual awaitable<quota_answer> take_quota(quota_ask ask) = 0;
    // One more. A call that comes again counts again.
    virtual awaitable<request_answer> count_request(request_count of) = 0;
    // The one that was counted with this mark, once.
    virtual awaitable<void> take_back_request(request_count of, std::int64_t mark) = 0;

protected:
    ~quota_store() = default;
};

}  // namespace errand
