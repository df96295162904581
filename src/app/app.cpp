// Where a program is put together: the app's client half and its worker.
#include <errand/app.hpp>
#include <errand/error.hpp>

#include "app/encryption_keys.hpp"
#include "app/environment.hpp"
#include "app/open_shelf.hpp"
#include "app/open_store.hpp"
#include "app/span_export.hpp"
#include "app/unfinished.hpp"
#include "client/handle.hpp"
#include "client/policy_schedules.hpp"
#include "core/attempt_rules.hpp"
#include "core/config_text.hpp"
#include "core/store_list.hpp"
#include "runtime/ambient.hpp"
#include "runtime/app_core.hpp"
#include "runtime/loop.hpp"
#include "runtime/thread_mark.hpp"
#include "worker/worker.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/serialize.hpp>

#include <spdlog/logger.h>

#include <csignal>
#include <thread>
#include <utility>

namespace errand {

detail::app_core& detail::core_of(app& owner) noexcept { return *owner.core_; }

namespace asio = boost::asio;

namespace {
// Within that another server has usually taken over.
constexpr duration patience_with_a_successor = std::chrono::seconds{30};

config checked(config settings) {
    check_config(settings);
    settings.shards = check_store(settings.store, settings.shards);
    check_shelf(settings.shelf, settings.store);
    if (settings.store_timeout == config{}.store_timeout && fails_over(settings.store))
        settings.store_timeout = patience_with_a_successor;
    return settings;
}
}  // namespace

app::app() : app{config::from_environment()} {}

app::app(config settings)
    : core_{std::make_unique<detail::app_core>(checked(std::move(settings)), &open_store, *this)} {
    core_->tracer = tracer_from_environment(*core_);
    core_->seal_with(keys_of_config(core_->settings));
}

app::~app() {
    try {
        if (core_->running()) block_on(stop());
    } catch (const std::exception& e) {
        core_->log->error("the worker did not stop in order: {}", e.what());
    }
    if (const auto left = unfinished_in_memory(*core_)) {
        core_->log->warn(
            "{} task(s) had not ended, and end with this app: sqlite::memory: keeps nothing; name a store with "
            "ERRAND_STORE, for example sqlite:///path/tasks.db",
            left);
    }
}

const config& app::settings() const noexcept { return core_->settings; }
namespace {
// Threads of the worker read these without a lock.
void refuse_while_it_works(const detail::app_core& core, const char* what) {
    if (!core.works) return;
    throw usage_error{
        std::string{what} +
        " was called while the worker of this app runs: beans, wrappers and the tracer come before "
        "app.start() and app.run()"};
}
}  // namespace

detail::bean_container& app::beans() {
    refuse_while_it_works(*core_, "provide");
    return core_->beans;
}

app& app::around_perform(perform_wrapper wrapper) {
    refuse_while_it_works(*core_, "around_perform");
    core_->perform_wrappers.push_back(std::move(wrapper));
    return *this;
}

app& app::around_submit(submit_wrapper wrapper) {
    refuse_while_it_works(*core_, "around_submit");
    core_->submit_wrappers.push_back(std::move(wrapper));
    return *this;
}

app& app::on_event(event_listener listener) {
    if (!listener) throw usage_error{"on_event was given a function that is empty"};
    core_->events.subscribe([to = std::move(listener), log = core_->log](const event& what) {
        try {
            to(what);
        } catch (...) {
            log->error("what on_event was given has thrown, at {}: {}", to_string(what.kind),
                       describe(std::current_exception()).message);
        }
    });
    return *this;
}

app& app::trace_with(std::shared_ptr<tracer> to) {
    refuse_while_it_works(*core_, "trace_with");
    core_->tracer = std::move(to);
    return *this;
}

app& app::encrypt(encryption with) {
    auto keys = sealing_for(core_->settings, with);
    if (!core_->seal_with(std::move(keys))) {
        throw usage_error{
            "encrypt was called after this app had used its store, and what was submitted before is not encrypted: it comes before "
            "the first submission, app.start() and app.run()"};
    }
    return *this;
}

awaitable<handle<boost::json::value>> app::perform(std::string wire_name, boost::json::array args,
                                                   options extra) {
    if (wire_name.empty()) throw usage_error{"app.perform: the handler's wire name is empty"};
    detail::draft one;
    one.app = core_.get();
    one.wire_name = std::move(wire_name);
    one.args = boost::json::serialize(args);
    one.extra = std::make_shared<const options>(std::move(extra));
    return detail::submit_typed<boost::json::value>(std::move(one));
}

awaitable<std::optional<task_info>> app::find(std::string id) {
    return detail::find_info(*core_, std::move(id));
}

awaitable<std::optional<task_graph>> app::graph(std::string id, std::size_t most) {
    return detail::find_graph(*core_, std::move(id), most);
}

awaitable<schedule_page> app::schedules(schedule_filter which, std::string after) {
    return detail::list_schedules(*core_, std::move(which), std::move(after));
}

awaitable<std::optional<schedule>> app::find_schedule(std::string id) {
    return detail::find_schedule(*core_, std::move(id));
}

awaitable<void> app::set_limit(std::string name, limit_rule rule) {
    return detail::set_limit(*core_, std::move(name), std::move(rule));
}

awaitable<void> app::clear_limit(std::string name) {
    return detail::set_limit(*core_, std::move(name), std::nullopt);
}

awaitable<std::vector<limit_info>> app::limits() { return detail::list_limits(*core_); }

awaitable<settings_info> app::configure(std::string handler, handler_settings settings,
                                        configure_options how) {
    return detail::configure_handler(*core_, std::move(handler), std::move(settings), std::move(how));
}

awaitable<settings_info> app::settings_of(std::string handler) {
    return detail::find_settings(*core_, std::move(handler));
}

awaitable<quota_info> app::set_quota(quota rules, quota_options how) {
    return detail::set_quota(*core_, std::move(rules), how);
}

awaitable<quota_info> app::clear_quota() { return detail::set_quota(*core_, {}, {}); }

awaitable<quota_info> app::current_quota() { return detail::current_quota(*core_); }

awaitable<std::optional<detail::task_ref>> app::find_ref(std::string id) {
    return detail::find_task(*core_, std::move(id));
}

void app::run_here(awaitable<void> work) {
    if (errand_runs_this_thread()) {
        throw usage_error{
            "block_on was called inside a coroutine that errand runs: it would wait for itself; co_await "
            "the awaitable instead"};
    }
    const thread_mark mark;
    auto front = core_->borrow_front_loop();
    auto around = std::make_shared<ambient>(ambient{.app = core_.get(), .home = front.get()});
    bool ended = false;
    std::exception_ptr failure;
    asio::co_spawn(with_ambient(front->executor(), std::move(around)), std::move(work),
                   [&](std::exception_ptr why) {
                       failure = std::move(why);
                       ended = true;
                       front->context().stop();
                   });
    front->context().restart();
    while (!ended) front->context().run();
    core_->give_back(std::move(front));
    if (failure) std::rethrow_exception(failure);
}

awaitable<void> app::start() {
    auto fresh = std::make_shared<worker>(*core_);
    if (!core_->take_post(fresh)) throw usage_error{"the worker of this app runs already, or is starting"};
    core_->works = true;
    std::exception_ptr failure;
    bool started = false;
    try {
        co_await fresh->start();
        started = true;
        const auto declare = policy_declarations();
        if (core_->serves_several()) {
            co_await fresh->in_each(declare);
        } else {
            const bool all = co_await declare(*core_);
            if (!all) co_await fresh->make_good(*core_, declare);
        }
    } catch (...) {
        failure = std::current_exception();
    }
    if (failure) {
        if (started) co_await fresh->stop();
        core_->works = false;
        core_->leave_post();
        std::rethrow_exception(failure);
    }
}

awaitable<void> app::stop() {
    if (auto ending = core_->running()) {
        co_await ending->stop();
        core_->works = false;
        core_->leave_post();
    }
}

namespace {
// Waits for signals on a thread of its own; ends with the scope.
class hurry_on_signal {
public:
    hurry_on_signal(asio::io_context& context, asio::signal_set& signals, std::shared_ptr<worker> whom)
        : context_{context}, signals_{signals} {
        signals_.async_wait([whom = std::move(whom)](const boost::system::error_code& ec, int) {
            if (!ec && whom) whom->hurry();
        });
        context_.restart();
        thread_ = std::thread{[this] { context_.run(); }};
    }
    ~hurry_on_signal() {
        asio::post(context_, [this] { signals_.cancel(); });
        thread_.join();
    }
    hurry_on_signal(const hurry_on_signal&) = delete;
    hurry_on_signal& operator=(const hurry_on_signal&) = delete;

private:
    asio::io_context& context_;
    asio::signal_set& signals_;
    std::thread thread_;
};
}  // namespace

int app::run() {
    // Caught for the time of start-up as well: a signal that comes then stops the worker as soon as it stands.
    asio::io_context signals_context{1};
    asio::signal_set signals{signals_context, SIGINT, SIGTERM};
    for (const auto& sentence : unknown_variables(names_of_variables())) core_->log->warn("{}", sentence);
    if (keeps_in_memory(core_->settings)) {
        core_->log->warn(
            "tasks are kept in memory: no other program can submit any, and they end with this one; name a store with "
            "ERRAND_STORE, for example sqlite:///path/tasks.db");
    }
    try {
        block_on(start());
    } catch (const error& e) {
        core_->log->critical("the worker cannot start: {}", e.what());
        return 1;
    }
    signals.async_wait([](const boost::system::error_code&, int) {});
    signals_context.run();
    const hurry_on_signal second{signals_context, signals, core_->running()};
    block_on(stop());
    return 0;
}

}  // namespace errand
