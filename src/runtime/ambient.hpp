// What a coroutine runs under: its app, its loop, its task, its transaction, its stage. It travels in the executor, so
// whatever is awaited or spawned on that executor has it too, on whichever thread it runs.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>

#include <memory>
#include <type_traits>
#include <utility>

namespace errand::detail {
class app_core;
class open_transaction;
}  // namespace errand::detail

namespace errand {

class loop;
class running_task;
class stage_run;
struct trace_context;

struct ambient {
    detail::app_core* app = nullptr;
    loop* home = nullptr;          // where its store calls are made; null: the app's background loop
    running_task* task = nullptr;  // lives as long as the ambient that it was given with
    std::shared_ptr<detail::open_transaction> transaction{};
    std::shared_ptr<stage_run> stage{};            // the innermost stage
    std::shared_ptr<const trace_context> trace{};  // of the span that it is part of; null: of none
    std::shared_ptr<const ambient> keeps{};        // of one that was made of another one: that
};

// An executor that carries an ambient and is otherwise the inner one.
template <class Inner>
class ambient_executor {
public:
    ambient_executor(Inner inner, std::shared_ptr<const ambient> carried) noexcept
        : inner_{std::move(inner)}, carried_{std::move(carried)} {}

    const std::shared_ptr<const ambient>& carried() const noexcept { return carried_; }
    const Inner& inner() const noexcept { return inner_; }

    friend bool operator==(const ambient_executor& a, const ambient_executor& b) noexcept {
        return a.carried_ == b.carried_ && a.inner_ == b.inner_;
    }

    template <class Fn>
    void execute(Fn&& fn) const {
        inner_.execute(std::forward<Fn>(fn));
    }

    template <class Property>
        requires boost::asio::can_query_v<const Inner&, Property>
    decltype(auto) query(const Property& property) const {
        return boost::asio::query(inner_, property);
    }
    template <class Property>
        requires boost::asio::can_require_v<const Inner&, Property>
    auto require(const Property& property) const {
        return rewrap(boost::asio::require(inner_, property));
    }
    template <class Property>
        requires boost::asio::can_prefer_v<const Inner&, Property>
    auto prefer(const Property& property) const {
        return rewrap(boost::asio::prefer(inner_, property));
    }

private:
    template <class Other>
    auto rewrap(Other other) const {
        return ambient_executor<std::decay_t<Other>>{std::move(other), carried_};
    }

    Inner inner_;
    std::shared_ptr<const ambient> carried_;
};

// What this executor carries, also through strands; null when it carries nothing.
const ambient* ambient_of(const boost::asio::any_io_executor& executor) noexcept;

// One that begins as a copy of what this executor carries, and keeps that alive with its task: a coroutine that is left running under it
// may outlive all others. Empty where it carries nothing.
std::shared_ptr<ambient> ambient_within(const boost::asio::any_io_executor& executor);

// The same executor carrying something else instead.
boost::asio::any_io_executor with_ambient(const boost::asio::any_io_executor& executor,
                                          std::shared_ptr<const ambient> carried);
boost::asio::any_io_executor with_ambient(boost::asio::io_context::executor_type executor,
                                          std::shared_ptr<const ambient> carried);
boost::asio::any_io_executor with_ambient(boost::asio::thread_pool::executor_type executor,
                                          std::shared_ptr<const ambient> carried);

}  // namespace errand
