#pragma once

#include <errand/policy.hpp>
#include <errand/time.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace errand {

/// What a limit allows. Of a member that is not set nothing is limited.
struct limit_rule {
    /// How many run at once over all workers, >= 0; 0: none, it is closed.
    std::optional<int> max_running{};
    /// Starts over all workers: never more than `count` in any time of `per`.
    std::optional<rate_limit> rate{};
    friend bool operator==(const limit_rule&, const limit_rule&) = default;
};

/// What the store knows of a limit at one moment.
struct limit_info {
    /// As it was declared; "handler:<name>" of what a handler's policy limits, by the oldest name of that handler; "namespace" of
    /// what a quota's `max_running` does.
    std::string name;
    std::optional<limit_rule> declared{};  ///< by the worker that started last; nothing: by none yet
    std::optional<limit_rule> set{};       ///< by app::set_limit, in place of it
    std::int64_t running = 0;              ///< tasks that run under it, of all keys
    /// Tasks that are ready and wait because of it: of all keys, where not more than hundreds of keys wait; else at least.
    std::int64_t waiting = 0;
    /// Closed by its rate until then; of several keys for which tasks wait the earliest of those that were counted.
    std::optional<time_point> opens_at{};
    /// For how long, all in all, it has kept ready tasks from starting: the time in which at least one waited because of it, until
    /// now. Of several shards the sum.
    duration throttled{0};

    /// The one in force.
    [[nodiscard]] limit_rule rule() const { return set.value_or(declared.value_or(limit_rule{})); }
};

/// A limit that several handlers share: `inline const errand::limit crm{"crm-api", {.max_running = 25}};` at namespace scope,
/// beside or before the handlers that name it in their policy's `.limits`. It makes itself known before `main`; a worker that
/// starts with a handler that names it declares it to the store.
///
/// The same limit may stand in several sources and programs. Two of one name with different rules in one program, a name that
/// is not 1..64 of the characters A-Z a-z 0-9 . _ - : /, or that begins with "handler:" or "queue:", or is "namespace", and a
/// rule that limits nothing are a usage_error when a handler is first used.
class limit {
public:
    /// A global object does it: what is wrong is told when a handler is first used.
    limit(std::string_view name, limit_rule rule);

    /// As declared.
    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    /// As declared; what is in force says app::limits().
    [[nodiscard]] const limit_rule& rule() const noexcept { return rule_; }

private:
    std::string name_;
    limit_rule rule_;
};

}  // namespace errand
