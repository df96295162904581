// Where it is counted what the quota of a namespace has let through. The rules are in core/quota_rules.hpp, and what is set among
// the settings (core/quota_record.hpp).
#pragma once

#include <errand/awaitable.hpp>

#include "core/quota_rules.hpp"

namespace errand {

class quota_store {
public:
    // Only asked where a quota is set. A call that comes again takes again: then a little less is let through for a while.
    virtual awaitable<quota_answer> take_quota(quota_ask ask) = 0;

protected:
    ~quota_store() = default;
};

}  // namespace errand
