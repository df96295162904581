#include "service/lmstfy/imported.hpp"

#include <errand/detail/engine.hpp>
#include <errand/error.hpp>

#include "client/within_quota.hpp"
#include "core/base64.hpp"
#include "core/job_rules.hpp"
#include "runtime/handlers.hpp"
#include "runtime/task_gates.hpp"
#include "service/lmstfy/job.hpp"
#include "service/lmstfy/job_id.hpp"

#include <algorithm>
#include <limits>

namespace errand::lmstfy {
namespace {

constexpr std::size_t plain_id_digits = 26;

// When it was published, always the same of the same job where its id says so: it begins with the milliseconds.
time_point published_at(const source_job& one, time_point now) {
    constexpr std::size_t time_bytes = 6;
    constexpr std::chrono::days clocks_differ{1};
    const auto about = now - one.age;
    const auto id = read_job_id(one.id);
    if (!id) return about;
    std::int64_t ms = 0;
    for (std::size_t i = 0; i < time_bytes; ++i) ms = (ms << 8U) | id->bytes[i];
    const time_point said{duration{ms}};
    return said > about - clocks_differ && said < about + clocks_differ ? said : about;
}

job_terms left_terms(const source_job& one) {
    job_terms terms;
    terms.tries = static_cast<std::uint16_t>(
        std::min<std::int64_t>(one.tries + 1, std::numeric_limits<std::uint16_t>::max()));
    terms.versioned = one.id.size() > plain_id_digits;
    terms.attributes = one.attributes;
    return terms;
}

}  // namespace

import_item imported_job(detail::app_core& app, const source_job& one, std::uint64_t number, time_point now) {
    const auto data = read_base64(one.data);
    if (!data) throw bad_data{"its data is no base64"};
    detail::draft draft;
    draft.app = &app;
    draft.wire_name = job_handler;
    draft.args = "[]";
    options extra;
    extra.queue = one.queue;
    draft.extra = std::make_shared<const options>(std::move(extra));
    import_item got{.line = number, .task = job_of(prepare(std::move(draft)), left_terms(one), *data)};
    auto& task = got.task;
    if (const auto rules = app.overrides.quota_rules()) {
        if (const auto why = payload_refusal(app, *rules, task.body.handler, task.body.args.size()))
            std::rethrow_exception(why);
    }
    const auto published = published_at(one, now);
    if (one.ttl > 0) {
        // From its publication.
        task.body.expires_after = std::max(now - published + std::chrono::seconds{one.ttl}, duration{1});
        task.expires_after = task.body.expires_after;
    }
    task.id = derive_task_id("lmstfy.import", one.queue + '\n' + one.id);
    got.life = import_life(published, task.id.bytes[0] * 256U + task.id.bytes[1]);
    if (const auto* known = handlers::find(task.body.handler))
        task.id = placed_id(*known, task.id, task.shards);
    task.conflict = on_conflict::where_free;
    return got;
}

}  // namespace errand::lmstfy
