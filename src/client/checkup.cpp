// The store's own audit, told to users.
#include <errand/inspect.hpp>

#include "runtime/caller_loop.hpp"

namespace errand {
namespace {

constexpr std::size_t most_told = 1000;

finding told(audit_finding found) {
    const bool about_task = found.kind != "idle_lease" && found.kind != "counter";
    const auto id = about_task ? task_id::from_bytes(found.subject) : std::nullopt;
    return {.kind = std::move(found.kind),
            .subject = id ? to_text(*id) : std::move(found.subject),
            .text = std::move(found.words),
            .repaired = found.repaired};
}

awaitable<checkup> check_on(loop& there, bool repair, std::function<bool(const checkup&)> progress) {
    checkup all;
    const auto audit = there.tasks().audit(repair);
    for (bool more = true; more;) {
        auto step = co_await audit->next();
        more = step.more;
        all.looked_at += step.looked_at;
        for (auto& one : step.findings) {
            ++all.found;
            if (one.repaired) ++all.repaired;
            if (all.findings.size() < most_told) all.findings.push_back(told(std::move(one)));
        }
        if (progress && !progress(all)) break;
    }
    co_return all;
}

}  // namespace

awaitable<checkup> inspector::check(bool repair, std::function<bool(const checkup&)> progress) const {
    return on_caller_loop(app_, [repair, progress = std::move(progress)](loop& there) {
        return check_on(there, repair, progress);
    });
}

}  // namespace errand
