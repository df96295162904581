// One task as a body describes it, and the key by which a request that is repeated counts once.
#pragma once

#include <errand/app.hpp>
#include <errand/detail/engine.hpp>

#include "client/prepared_submission.hpp"
#include "core/task_id.hpp"
#include "service/values.hpp"

#include <optional>
#include <string>

namespace errand::web {

// The members are those of submission_fields, or these among others. Throws refusal.
detail::draft read_submission(errand::app& app, const request& in, const members& given);

// The Idempotency-Key of a request. Throws refusal.
std::optional<std::string> key_of(const request& in);
// Throws refusal (400) of a task that has an identity already.
void refuse_biz_id_of(const detail::draft& one);
// The task of this key, where prepare() would have put one of this handler.
task_id keyed_id(const prepared_submission& one, const std::string& key);

// What a submission says as it leaves, after wrappers: by this one that is repeated is known.
struct said {
    std::string handler;
    std::string args;
};
// Throws refusal (422) when the key was used for another submission.
void check_same(const task_info& there, const said& now);

}  // namespace errand::web
