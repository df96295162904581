#pragma once

#include <errand/detail/engine.hpp>
#include <errand/detail/signature.hpp>
#include <errand/detail/wire.hpp>
#include <errand/handle.hpp>
#include <errand/options.hpp>
#include <errand/plan.hpp>
#include <errand/schedule.hpp>

#include <chrono>
#include <memory>
#include <ranges>
#include <tuple>
#include <utility>
#include <vector>

namespace errand {

class app;

namespace detail {
app_core& core_of(app& owner) noexcept;

template <class T>
awaitable<handle<T>> submit_typed(draft one) {
    co_return handle<T>{co_await submit(std::move(one))};
}

template <class T>
awaitable<std::vector<handle<T>>> submit_bulk_typed(std::vector<draft> all) {
    auto refs = co_await submit_bulk(std::move(all));
    std::vector<handle<T>> handles;
    handles.reserve(refs.size());
    for (auto& ref : refs) handles.emplace_back(std::move(ref));
    co_return handles;
}

// Names the item of a bulk submission that does not encode.
template <class Make>
draft bulk_item(std::size_t index, Make make) {
    try {
        return make();
    } catch (const bad_data& e) {
        throw bad_data{"item " + std::to_string(index) + ": " + e.what()};
    }
}

template <class Duration>
time_point not_before(std::chrono::sys_time<Duration> t) {
    return std::chrono::ceil<std::chrono::milliseconds>(t);
}
}  // namespace detail

/// Submits tasks of the handler H: a small value, copied freely, valid as long as its app. Any thread may use it.
///
/// Arguments are encoded when a member is called, on the calling thread; the awaitable then completes when the store
/// has accepted the task (one round trip, shared with whatever else is being submitted). Under an open transaction it
/// completes at once and the task leaves with the commit.
///
/// All of them throw usage_error (a bad policy or option, no such handler), bad_data (an argument that JSON cannot hold,
/// or too large), duplicate_task (where the rule for duplicates says so), quota_exceeded (where the namespace has a quota) and
/// store_error.
template <class H>
class proxy {
public:
    /// The handler.
    using handler_type = H;

    /// The proxy of this app; as `app.handler<H>()`.
    explicit proxy(app& owner) : app_{&detail::core_of(owner)} {}

    /// Submits a task to be run now.
    /// @param args values convertible to perform's parameters; of a handler that collects one item of the list that perform
    /// takes. The handle is to that item, and its result the one of that item
    template <class... A, class S = H>
    [[nodiscard]] awaitable<handle<detail::task_result_of<S, A...>>> perform_async(A&&... args) const {
        return detail::submit_typed<detail::task_result_of<S, A...>>(draft_of<S>(std::forward<A>(args)...));
    }

    /// Submits a task to be run so long after the store accepted it, never earlier.
    /// @param delay by the store's clock; negative counts as none
    template <class... A, class S = H>
    [[nodiscard]] awaitable<handle<detail::task_result_of<S, A...>>> perform_in(duration delay,
                                                                                A&&... args) const {
        auto one = draft_of<S>(std::forward<A>(args)...);
        one.delay = delay;
        return detail::submit_typed<detail::task_result_of<S, A...>>(std::move(one));
    }

    /// Submits a task to be run at a time, never earlier; in the past: now.
    /// @param when rounded up to the millisecond
    template <class Duration, class... A, class S = H>
    [[nodiscard]] awaitable<handle<detail::task_result_of<S, A...>>> perform_at(
        std::chrono::sys_time<Duration> when, A&&... args) const {
        auto one = draft_of<S>(std::forward<A>(args)...);
        one.at = detail::not_before(when);
        return detail::submit_typed<detail::task_result_of<S, A...>>(std::move(one));
    }

    /// Submits many tasks in few round trips; handles in the order of the items. All are encoded and checked before the
    /// first leaves (`bad_data: item 17: args[0]…`); what the store refuses is thrown as bulk_error after all answered.
    template <class S = H>
    [[nodiscard]] awaitable<std::vector<handle<detail::result_of<S>>>> perform_bulk(
        const std::vector<detail::args_of<S>>& items) const {
        std::vector<detail::draft> all;
        all.reserve(items.size());
        for (const auto& item : items) {
            all.push_back(detail::bulk_item(all.size(), [&] {
                return std::apply([&](const auto&... args) { return draft_of<S>(args...); }, item);
            }));
        }
        return detail::submit_bulk_typed<detail::result_of<S>>(std::move(all));
    }

    /// The same from a range of the one argument that perform takes.
    template <std::ranges::input_range Range, class S = H>
        requires(!std::same_as<std::ranges::range_value_t<Range>, detail::args_of<S>>)
    [[nodiscard]] auto perform_bulk(Range&& items) const {
        using result = detail::task_result_of<S, std::ranges::range_reference_t<Range>>;
        std::vector<detail::draft> all;
        if constexpr (std::ranges::sized_range<Range>) all.reserve(std::ranges::size(items));
        for (auto&& item : items) {
            all.push_back(detail::bulk_item(all.size(),
                                            [&] { return draft_of<S>(std::forward<decltype(item)>(item)); }));
        }
        return detail::submit_bulk_typed<result>(std::move(all));
    }

    /// Declares a recurring task: a run each interval, with these arguments, kept by the store and fired by any worker.
    /// Declaring a schedule again that is there (same handler, same key) updates it, and writes nothing when it says the
    /// same: every program may do so when it starts. One that was cancelled begins anew. The handler's own biz_id is not
    /// used for runs, and around_submit is not asked. Under an open transaction it is checked at once, and declared when that
    /// commits; its id is right before. About two round trips.
    /// @param interval at least 1 ms; when it begins is said by `how.mode`
    /// @param how how it goes on; in `how.run` what its runs do otherwise than the policy and the options of with()
    /// @throws usage_error for a bad value, naming it; bad_data, quota_exceeded, store_error as above
    template <class... A, class S = H>
    [[nodiscard]] awaitable<schedule> every(duration interval, schedule_options how = {}, A&&... args) const {
        auto one = schedule_of<S>(std::move(how), std::forward<A>(args)...);
        one.interval = interval;
        return detail::declare_schedule(std::move(one));
    }

    /// The same at the times that a cron line names.
    /// @param line "minute hour day-of-month month day-of-week", or with seconds before them; see docs/schedules.md
    /// @throws as every(), also for a line that never comes and a time zone that this machine does not know
    template <class... A, class S = H>
    [[nodiscard]] awaitable<schedule> cron(std::string line, schedule_options how = {}, A&&... args) const {
        auto one = schedule_of<S>(std::move(how), std::forward<A>(args)...);
        one.cron = std::move(line);
        return detail::declare_schedule(std::move(one));
    }

    /// The same proxy with options that go before the policy. No round trip.
    [[nodiscard]] proxy with(options extra) const {
        proxy other{*this};
        other.extra_ = std::make_shared<const options>(std::move(extra));
        return other;
    }

    /// A task that is described and not submitted, for `chain` and `group`. With the first argument left out, that one is
    /// the result of what comes before it in a chain (and the handler's own biz_id is not asked). No round trip.
    /// @throws bad_data for an argument that JSON cannot hold
    template <class... A, class S = H>
    [[nodiscard]] auto plan(A&&... args) const {
        using parameters = detail::args_of<S>;
        using result = detail::result_of<S>;
        auto tree = std::make_shared<detail::plan_tree>();
        if constexpr (sizeof...(A) + 1 == std::tuple_size_v<parameters>) {
            tree->takes_result = true;
            tree->call = draft_from<S>(detail::encode_open_call<S>(std::forward<A>(args)...));
            return errand::plan<result, typename detail::without_first<parameters>::first>{std::move(tree)};
        } else {
            tree->call = draft_of<S>(std::forward<A>(args)...);
            return errand::plan<detail::task_result_of<S, A...>>{std::move(tree)};
        }
    }

    /// The task of this handler with that biz_id, for `.after` and `result_of`: it may be submitted later. No round trip.
    /// @throws usage_error for a biz_id that is empty, longer than 512 bytes or no UTF-8
    [[nodiscard]] dependency ref(std::string_view biz_id) const {
        return dependency{detail::id_of(*app_, typeid(H), biz_id)};
    }

    /// The same proxy, its submissions held back by this guard until `guard.commit()`. The guard must outlive the call.
    [[nodiscard]] proxy in(transaction_guard& guard) const { return held_by(detail::held_of(guard)); }

    /// The same proxy, its submissions held back until `joined.write()`.
    [[nodiscard]] proxy in(joined_transaction& joined) const { return held_by(detail::held_of(joined)); }

private:
    proxy held_by(std::shared_ptr<detail::open_transaction> by) const {
        proxy other{*this};
        other.held_by_ = std::move(by);
        return other;
    }

    template <class S, class... A>
    detail::draft draft_of(A&&... args) const {
        if constexpr (!detail::is_complete<S>) {
            return {};  // does not compile: its result type has said so
        } else if constexpr (detail::gives_item<S, A...>()) {
            return draft_from<S>(detail::encode_item<S>(std::forward<A>(args)...));
        } else {
            return draft_from<S>(detail::encode_call<S>(std::forward<A>(args)...));
        }
    }

    template <class S, class... A>
    detail::schedule_draft schedule_of(schedule_options how, A&&... args) const {
        detail::schedule_draft one;
        one.run = draft_of<S>(std::forward<A>(args)...);
        one.how = std::move(how);
        return one;
    }

    template <class S>
    detail::draft draft_from(detail::encoded_call encoded) const {
        detail::draft one;
        one.app = app_;
        one.handler = typeid(S);
        one.extra = extra_;
        one.held_by = held_by_;
        one.args = std::move(encoded.args);
        one.biz_id = std::move(encoded.biz_id);
        one.keys = std::move(encoded.keys);
        one.item = encoded.item;
        one.collect_key = std::move(encoded.collect_key);
        return one;
    }

    detail::app_core* app_;
    std::shared_ptr<const options> extra_;
    std::shared_ptr<detail::open_transaction> held_by_;
};

}  // namespace errand
