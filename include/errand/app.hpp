#pragma once

#include <errand/awaitable.hpp>
#include <errand/config.hpp>
#include <errand/detail/beans.hpp>
#include <errand/detail/engine.hpp>
#include <errand/encryption.hpp>
#include <errand/event.hpp>
#include <errand/graph.hpp>
#include <errand/handle.hpp>
#include <errand/inspect.hpp>
#include <errand/limit.hpp>
#include <errand/middleware.hpp>
#include <errand/proxy.hpp>
#include <errand/quota.hpp>
#include <errand/schedule.hpp>
#include <errand/settings.hpp>
#include <errand/task_info.hpp>
#include <errand/tracer.hpp>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace errand {

/// The program's connection to its tasks: submits them, and runs them when told to.
///
/// It must outlive its proxies, its handles and every coroutine that uses them. Beans and wrappers are added before the
/// first submission and before `start`/`run`; everything else may be called from any thread.
class app {
public:
    /// With errand::config::from_environment().
    /// @throws usage_error when the configuration is wrong, naming the variable
    app();
    /// @throws usage_error when a value does not fit, naming it. Nothing is connected yet.
    explicit app(config settings);
    /// Stops the worker as `stop()` does, when it runs. Not inside a coroutine of this app.
    ~app();
    app(const app&) = delete;
    app& operator=(const app&) = delete;

    /// Builds a bean, once, and returns it. Without arguments its constructor parameters are found among the beans.
    /// Beans die with the app, the youngest first.
    /// @throws usage_error when there is one of this type already, and while the worker runs
    template <class T, class... A>
    T& provide(A&&... args) {
        return beans().template provide<T>(std::forward<A>(args)...);
    }

    /// Builds a T in the same way and makes it the bean of type As as well, which it derives from: what takes `mailer&` gets
    /// the object of `provide_as<mailer, smtp>("smtp://localhost")`.
    /// @throws usage_error when there is a bean of either type already, and while the worker runs
    template <class As, class T, class... A>
    T& provide_as(A&&... args) {
        return beans().template provide_as<As, T>(std::forward<A>(args)...);
    }

    /// Lends an object, which must outlive the app. As the bean of its base: `provide_ref<mailer>(object)`.
    /// @throws usage_error when there is one of this type already, and while the worker runs
    template <class T>
    T& provide_ref(T& object) {
        beans().template provide_ref<T>(object);
        return object;
    }

    /// What submits the tasks of H.
    template <class H>
    [[nodiscard]] proxy<H> handler() {
        return proxy<H>{*this};
    }

    /// Submits by wire name, without the type: for a program that does not know the handler. Queue and policy come from
    /// the options, then from the handler when this program declares it, then from the defaults.
    /// @throws as proxy::perform_async
    [[nodiscard]] awaitable<handle<boost::json::value>> perform(std::string wire_name,
                                                                boost::json::array args, options extra = {});

    /// A handle to the task with this id, whatever program submitted it. One round trip.
    /// @return nullopt when the store knows no such task, or the text is no id @throws store_error
    template <class T>
    [[nodiscard]] awaitable<std::optional<handle<T>>> find(std::string id) {
        auto ref = co_await find_ref(std::move(id));
        if (!ref) co_return std::nullopt;
        co_return handle<T>{std::move(*ref)};
    }

    /// What the store knows of the task with this id; nullopt as above. One round trip.
    [[nodiscard]] awaitable<std::optional<task_info>> find(std::string id);

    /// All tasks that are connected with this one by dependencies, in both directions, also those that have ended and are
    /// kept. About three round trips a task.
    /// @param most so many tasks at most; `complete` says whether there are more
    /// @return nullopt when the store knows no such task, or the text is no id @throws store_error
    [[nodiscard]] awaitable<std::optional<task_graph>> graph(std::string id, std::size_t most = 1000);

    /// The schedules of the namespace, by handler and key, page by page. About a round trip for each page; a page of one
    /// state, or of a handler that this program does not know, may have to look at all schedules.
    /// @param after `next` of the page before; empty: the first
    /// @throws usage_error for a limit that is not 1..1000 and a text that is no `next`; store_error
    [[nodiscard]] awaitable<schedule_page> schedules(schedule_filter which = {}, std::string after = {});

    /// The schedule with this id. One round trip.
    /// @param id as schedule::id() gives it
    /// @return nullopt when the store knows no such schedule, or the text is no id @throws store_error
    [[nodiscard]] awaitable<std::optional<schedule>> find_schedule(std::string id);

    /// Gives a limit another rule at run time, over all programs of the namespace, until it is set again or cleared: also
    /// after they were started anew. It takes the place of the declared rule as a whole: of a member that is not set here
    /// nothing is limited. What is running goes on; what waits starts as far as it may now. A few round trips.
    /// @param name of an errand::limit, "handler:<wire name>", "queue:<name>" or "namespace"; the last three need no declaration.
    ///        Tasks that were submitted before count as soon as a worker would start them. Over several shards each has a share
    ///        of these three, which follows the need
    /// @param rule e.g. {.max_running = 5}; {.max_running = 0} closes it
    /// @throws usage_error for a name that no program declares, naming the nearest, and for a bad rule; store_error
    [[nodiscard]] awaitable<void> set_limit(std::string name, limit_rule rule);
    /// The declared rule is in force again. @throws as set_limit
    [[nodiscard]] awaitable<void> clear_limit(std::string name);
    /// All limits of the namespace, by name: those that a worker has declared or that were set. One round trip.
    /// @throws store_error
    [[nodiscard]] awaitable<std::vector<limit_info>> limits();
    /// Sets what goes before the policy of a handler, for all programs of the namespace, also for tasks that were submitted
    /// before, as each member says. What is not given is the policy's again: `{}` clears all. About two round trips.
    /// @param handler its wire name; this program need not have it
    /// @return what is set now, with its version
    /// @throws usage_error for a bad value; settings_conflict when `how.version` is not the one that is there; store_error
    [[nodiscard]] awaitable<settings_info> configure(std::string handler, handler_settings settings,
                                                     configure_options how = {});

    /// What is set of a handler at run time, and who has set it. One round trip.
    /// @param handler its wire name; this program need not have it
    /// @return version 0 when nothing was ever set @throws usage_error for a bad name, store_error
    [[nodiscard]] awaitable<settings_info> settings_of(std::string handler);

    /// Sets what this app's namespace may use of the store, in place of the quota that it had, for all programs: also after they
    /// were started anew. What was accepted before stays. A few round trips.
    /// @param rules e.g. {.max_queued = 100'000, .submit_rate = errand::per_second(500)}
    /// @param how {.below_queued = true}: also a `max_queued` below what is queued now, by which nothing is accepted for a while
    /// @return what is set now, with its version
    /// @throws usage_error for a bad value, naming the member; store_error
    [[nodiscard]] awaitable<quota_info> set_quota(quota rules, quota_options how = {});
    /// Nothing is limited any more. @throws store_error
    [[nodiscard]] awaitable<quota_info> clear_quota();
    /// The quota of the namespace, who has set it, and how many tasks are queued. About two round trips. @throws store_error
    [[nodiscard]] awaitable<quota_info> current_quota();

    /// What looks after the tasks: queues, lists, workers, history, repair; valid as long as the app. No round trip.
    [[nodiscard]] inspector inspect() noexcept { return inspector{*core_}; }

    /// Runs an awaitable to its end on the calling thread and returns its value or throws what it threw.
    /// @throws usage_error inside a coroutine that errand runs: there, `co_await` it
    template <class T>
    T block_on(awaitable<T> work) {
        if constexpr (std::is_void_v<T>) {
            run_here(std::move(work));
        } else {
            std::optional<T> value;
            run_here(keep_value(std::move(work), value));
            return std::move(*value);
        }
    }
    /// The same of what a function without arguments returns: a lambda that is a coroutine may capture, since it is kept until its
    /// coroutine has ended.
    template <class F>
        requires requires { typename detail::awaited_result<std::invoke_result_t<F&>>::type; }
    auto block_on(F&& body) {
        return block_on(body());
    }
    /// Waits for a result on the calling thread.
    template <class T>
    T block_on(const handle<T>& h) {
        return block_on(detail::await_result<T>(h.ref(), std::nullopt));
    }

    /// Works until SIGINT or SIGTERM, then stops gracefully. Throws nothing of errand's: `return app.run();` is all of a main.
    /// @return 0, or 1 when the worker cannot start, after logging why: handlers that cannot be built, a store that cannot be
    /// reached
    int run();
    /// Starts the worker on threads of its own, and declares what the policies of its handlers say with `.cron`.
    /// @throws usage_error naming every handler that cannot be built; store_error when the store cannot be reached
    [[nodiscard]] awaitable<void> start();
    /// Claims no more, lets running tasks go on for `shutdown_grace`, gives the rest back. Completes when all have ended.
    [[nodiscard]] awaitable<void> stop();

    /// Wraps every attempt, the first added outermost.
    /// @throws usage_error while the worker runs
    app& around_perform(perform_wrapper wrapper);
    /// Wraps every submission, the first added outermost.
    /// @throws usage_error while the worker runs
    app& around_submit(submit_wrapper wrapper);

    /// Hears all that happens in this program: submissions, claims, starts, ends, leases lost. It is called on the thread
    /// where it happens, which waits for it: it must be quick, and safe to call from several threads at once. What it throws
    /// is logged. Listeners stay until the app ends; adding one while tasks run is fine, from any thread. Nobody pays
    /// anything for events that nobody hears; of each task some six are told, at a few hundred nanoseconds each.
    app& on_event(event_listener listener);

    /// Gives the spans of submissions, attempts and stages to `to`, in place of what took them before; null: to nobody. Where
    /// nobody takes them nothing is made. Without this call the environment decides: docs/tracing.md.
    /// @throws usage_error while the worker runs
    app& trace_with(std::shared_ptr<tracer> to);

    /// Encrypts from now on what is kept of tasks beside their names and numbers: arguments, results, stages, progress, messages of
    /// errors and log lines. Takes the place of what `config::encryption_keys` says; off without either. What was kept before stays
    /// readable. A text of a hundred bytes costs some microseconds each way: docs/encryption.md.
    /// @throws usage_error for no key, two of one id, a bad id or secret, a `max_payload` over 12 MiB; and once this app has used
    /// its store
    app& encrypt(encryption with);

    /// The configuration in force.
    [[nodiscard]] const config& settings() const noexcept;

private:
    friend detail::app_core& detail::core_of(app& owner) noexcept;

    template <class T>
    static awaitable<void> keep_value(awaitable<T> work, std::optional<T>& value) {
        value.emplace(co_await std::move(work));
    }

    detail::bean_container& beans();
    awaitable<std::optional<detail::task_ref>> find_ref(std::string id);
    void run_here(awaitable<void> work);

    std::unique_ptr<detail::app_core> core_;
};

}  // namespace errand
