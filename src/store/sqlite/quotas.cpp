#include "store/sqlite/quotas.hpp"

namespace errand::sqlite {

quota_answer quotas::take(const quota_ask& ask) {
    quota_state state;
    {
        auto rows = sql_.read_quota(tx_.ns());
        if (rows.next()) {
            state = {.tokens = rows.number(0),
                     .filled = rows.number(1),
                     .queued = rows.number(2),
                     .counted = rows.number(3)};
        }
    }
    const auto got = take_quota(state, ask, tx_.micros());
    if (got.why != quota_answer::kept_by::count)
        sql_.keep_quota.run(tx_.ns(), state.tokens, state.filled, state.queued, state.counted);
    return got;
}

}  // namespace errand::sqlite
