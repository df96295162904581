// One thread's share of errand: an io_context, a connection to the store, and what is built on both. Nothing in it is
// locked; everything but post() and here() is called on the thread that runs it. A thread that serves several namespaces has a
// loop for each, on one io_context.
#pragma once

#include "runtime/quota_desk.hpp"
#include "runtime/result_watch.hpp"
#include "runtime/submissions.hpp"
#include "store/settings.hpp"
#include "store/store.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <memory>
#include <string>

namespace errand {

namespace detail {
class app_core;
}

// What a store object of this app is opened with; `patient`: its calls wait for the store for ever.
store_settings settings_of_store(detail::app_core& app, std::string name, bool patient);

class loop final : public store_listener {
public:
    // `patient`: its calls wait for the store for ever, as workers do.
    loop(detail::app_core& app, std::string name, bool patient);
    // On the io_context of another loop, which outlives this one.
    loop(detail::app_core& app, std::string name, bool patient, boost::asio::io_context& on);
    ~loop() override;

    detail::app_core& app() noexcept { return app_; }
    boost::asio::io_context& context() noexcept { return context_; }
    boost::asio::io_context::executor_type executor() noexcept { return context_.get_executor(); }
    // True on the thread that runs this loop now.
    bool here() noexcept { return executor().running_in_this_thread(); }

    // Opens the store at the first call; store_error when that fails (the next call tries again).
    awaitable<void> ready();
    // After ready().
    store& tasks() noexcept { return *store_; }
    errand::submissions& submissions() noexcept { return submissions_; }
    result_watch& results() noexcept { return results_; }
    quota_desk& quotas() noexcept { return quotas_; }

    // A worker's ears: woken() and task_cancelled() go there too. Null: nobody.
    void worker_listens(store_listener* worker) noexcept { worker_ = worker; }

    // Asks what is set of handlers at run time.
    awaitable<void> learn_settings();

    // Ends the connection; whoever waits gets store_error. Then the context runs empty.
    void close();

private:
    void woken() override;
    void task_given(claimed_task task) override;
    void stands_aside() override;
    void news_came() override;
    void schedules_changed() override;
    void settings_changed() override;
    void task_cancelled(const task_id& id) override;
    void may_go_on(const task_id& id) override;
    void task_ended(const ended_task& task) override;
    void report_answered(const task_id& id, claim_number claim, report_verdict verdict) override;
    void reconnected() override;

    awaitable<void> keep_learning();

    // `on`: null where it has its own.
    loop(detail::app_core& app, std::string name, bool patient, std::unique_ptr<boost::asio::io_context> own,
         boost::asio::io_context* on);

    std::unique_ptr<boost::asio::io_context> own_;  // null: it is another loop's
    boost::asio::io_context& context_;
    detail::app_core& app_;
    std::unique_ptr<store> store_;
    errand::submissions submissions_;
    result_watch results_;
    quota_desk quotas_;
    store_listener* worker_ = nullptr;
    enum class opening : unsigned char { closed, under_way, open } state_ = opening::closed;
    bool learning_ = false;     // what is set of handlers
    bool learn_again_ = false;  // it has changed since it was asked for
    bool closed_ = false;
    boost::asio::steady_timer opened_;  // those who wait for the opening
    boost::asio::steady_timer asks_again_;
};

}  // namespace errand
