// What an app is made of, shared by its client half and its worker half: one for each namespace. That of the app itself is the
// one that app objects lead to; those of the others that its worker serves belong to it.
#pragma once

#include <errand/config.hpp>
#include <errand/detail/beans.hpp>
#include <errand/middleware.hpp>
#include <errand/tracer.hpp>

#include "core/event.hpp"
#include "core/schedule_rules.hpp"
#include "core/sealing.hpp"
#include "runtime/paced_log.hpp"
#include "runtime/settings_book.hpp"
#include "runtime/zone_files.hpp"
#include "store/settings.hpp"
#include "store/store.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace spdlog {
class logger;
}

namespace errand {

class loop;
class outbox_port;
class process_meter;
class worker;

namespace detail {

class app_core {
public:
    using store_maker = std::function<std::unique_ptr<store>(boost::asio::io_context&, store_settings)>;

    app_core(config settings, store_maker open, app& owner);
    // Of another namespace, with all else in common.
    app_core(app_core& own, std::string name_space);
    ~app_core();

    // `name_spaces` stands in those of the app's own alone.
    const config settings;
    const store_maker open_store;

private:
    // What the namespaces of a program have in common.
    struct commons {
        commons(const config& settings, app& owner);

        bean_container beans;
        std::vector<perform_wrapper> perform_wrappers;
        std::vector<submit_wrapper> submit_wrappers;
        std::shared_ptr<errand::tracer> tracer;
        const std::shared_ptr<spdlog::logger> log;
        paced_log lines{log};
        zone_files zones;
        const std::shared_ptr<store_home> memory = std::make_shared<store_home>();
        const std::string process_name;
        std::atomic<unsigned> names_given{0};
        const std::shared_ptr<process_meter> meter;
        std::mutex seals_guard;
        std::vector<std::shared_ptr<const sealing>> seals;  // the last one is in force
        bool seals_used = false;
        std::atomic<const sealing*> seals_now{nullptr};
    };

    const std::shared_ptr<commons> common_;
    app_core* const own_;  // null: it is that one

public:
    bean_container& beans = common_->beans;
    std::vector<perform_wrapper>& perform_wrappers = common_->perform_wrappers;
    std::vector<submit_wrapper>& submit_wrappers = common_->submit_wrappers;
    // Null: nobody wants spans.
    std::shared_ptr<errand::tracer>& tracer = common_->tracer;
    event_stream events;
    // What monitoring is told of this process.
    process_meter& meter = *common_->meter;
    void measure();
    const std::shared_ptr<spdlog::logger>& log = common_->log;
    // For what is said of single tasks.
    paced_log& lines = common_->lines;

    // With which the content of tasks is encrypted, in all namespaces; null: with none. From the first store that is opened on they
    // stay: false, and nothing has changed. From any thread.
    bool seal_with(std::shared_ptr<const sealing> keys);
    const sealing* seals() const noexcept { return common_->seals_now.load(std::memory_order_acquire); }
    // For a store that is opened now.
    std::shared_ptr<const sealing> seals_in_use();

    // What is set of handlers at run time.
    settings_book overrides;

    // The time zones of this machine.
    zone_files& zones = common_->zones;
    zone_source zone_finder() {
        return [this](std::string_view name) { return zones.find(name); };
    }

    // What its stores in memory are run with; set before the first of its loops is made. Empty: the machine's clock.
    std::function<time_point()> clock;
    // No thread for the stores in memory: their calls are done by whoever makes them.
    bool threadless = false;
    // By the clock above.
    time_point now() const;

    // Where its loops share a store in memory.
    const std::shared_ptr<store_home>& memory = common_->memory;

    // And what they share of the shelf of their namespace.
    const std::shared_ptr<store_home> shelf = std::make_shared<store_home>();

    // "host:pid:4 random hex": the stem of the names of everything this app runs.
    const std::string& process_name = common_->process_name;
    // A name under which a store object can be opened: the stem and a number. Those of another kind are another worker to
    // who looks.
    std::string next_name(std::string_view kind = {});

    // The one of the app's own namespace.
    app_core& own() noexcept { return own_ ? *own_ : *this; }
    const app_core& own() const noexcept { return own_ ? *own_ : *this; }
    // The namespaces that the worker serves. Asked of the app's own.
    struct served_core {
        app_core* core;
        int weight;
    };
    std::vector<served_core> served();
    // Its worker was told which namespaces it serves.
    bool serves_several() const noexcept { return !own().settings.name_spaces.empty(); }
    // With what a line of the log begins: the namespace, where there are several; nothing else.
    const std::string& label() const noexcept { return label_; }

    // For callers whose executor is none of errand's: a loop on a thread of its own, started at the first use.
    loop& background();
    // For block_on: a loop that nobody runs now; given back after use.
    std::unique_ptr<loop> borrow_front_loop();
    void give_back(std::unique_ptr<loop> front);

    // The worker of this app from the beginning of its start to the end of its stop; null else. From any thread.
    std::shared_ptr<worker> running();
    // Its threads may be at work. From any thread.
    std::atomic<bool> works{false};
    // False when there is one already.
    bool take_post(std::shared_ptr<worker> by);
    void leave_post();

    // The databases of this app, as long as they are open. From any thread.
    void add_outbox(std::shared_ptr<outbox_port> one);
    void drop_outbox(const outbox_port& one);
    std::vector<std::shared_ptr<outbox_port>> outboxes();

private:
    const std::string label_;
    std::map<std::string, std::unique_ptr<app_core>> others_;  // of the app's own: those served beside it
    std::mutex guard_;                                         // of what follows
    std::shared_ptr<worker> running_;
    std::vector<std::shared_ptr<outbox_port>> outboxes_;
    std::vector<std::unique_ptr<loop>> idle_fronts_;
    std::unique_ptr<loop> background_;
    std::optional<boost::asio::executor_work_guard<boost::asio::io_context::executor_type>> background_work_;
    std::thread background_thread_;
};

}  // namespace detail
}  // namespace errand
