#pragma once

#include <errand/policy.hpp>
#include <errand/time.hpp>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace errand {

template <class T>
class handle;

namespace detail {
struct task_ref;
// Whether the task is known to the store, or waits in a transaction.
bool was_accepted(const task_ref& ref);
}  // namespace detail

/// A task that another one waits for: made from a handle or from `proxy.ref(biz_id)`. A small value; any thread may use it.
class dependency {
public:
    /// The task behind a handle.
    /// @throws usage_error when its transaction was rolled back
    template <class T>
    dependency(const handle<T>& on) : id_{on.id()}, accepted_{detail::was_accepted(on.ref())} {}

    /// The task of this id, which may be submitted later.
    /// @param id as handle::id() gives it
    explicit dependency(std::string id) : id_{std::move(id)} {}

    /// The task's id as text.
    [[nodiscard]] const std::string& id() const noexcept { return id_; }
    /// False for one that may be submitted later.
    [[nodiscard]] bool accepted() const noexcept { return accepted_; }

private:
    std::string id_;
    bool accepted_ = false;
};

/// What one submission does otherwise than the policy of its handler. Every member that is not given leaves the policy
/// as it is. A bad value is a usage_error naming the member.
struct options {
    /// The business identity, in place of the handler's own `biz_id`: UTF-8, 1 to 512 bytes.
    std::optional<std::string> biz_id{};
    /// The queue.
    std::optional<std::string> queue{};
    /// Due this long after the submission, by the store's clock; negative: at once. Not together with `at`.
    std::optional<duration> delay{};
    /// Due at this time; in the past: at once.
    std::optional<time_point> at{};
    /// 0..9 inside its queue, higher first.
    std::optional<int> priority{};
    /// One attempt; 0 = none.
    std::optional<duration> timeout{};
    /// Retries after the first attempt.
    std::optional<int> max_retry{};
    /// Not started this long after its due time: `expired`.
    std::optional<duration> expires_after{};
    /// How long the finished task and its result are kept.
    std::optional<duration> retention{};
    /// What it waits for.
    std::vector<dependency> after{};
    /// What happens when one of those ends otherwise than by `success`.
    std::optional<dependency_rule> on_failed_dependency{};
    /// What a second submission with the same biz_id does.
    std::optional<duplicate_rule> on_duplicate{};
    /// Carried to the handler.
    std::map<std::string, std::string> headers{};
    /// For finding it again.
    std::vector<std::string> tags{};
};

}  // namespace errand
