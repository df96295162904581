#include "runtime/app_core.hpp"

#include "runtime/logging.hpp"
#include "runtime/loop.hpp"
#include "runtime/outbox_port.hpp"
#include "runtime/process_meter.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <random>
#include <unistd.h>

namespace errand::detail {

namespace asio = boost::asio;

namespace {
std::string name_of_this_process() {
    std::array<char, 256> host{};
    if (::gethostname(host.data(), host.size() - 1) != 0) host = {'h', 'o', 's', 't'};
    std::array<char, 16> random{};
    std::snprintf(random.data(), random.size(), "%08x", std::random_device{}());
    return std::string{host.data()} + ':' + std::to_string(::getpid()) + ':' + random.data();
}

std::string label_of(const std::string& name_space) { return "namespace " + name_space + ": "; }

config of_name_space(config settings, std::string name) {
    settings.name_space = std::move(name);
    settings.name_spaces.clear();
    return settings;
}
}  // namespace

app_core::commons::commons(const config& settings, app& owner)
    : beans{owner},
      log{make_logger(settings)},
      process_name{name_of_this_process()},
      meter{std::make_shared<process_meter>()} {}

app_core::app_core(config chosen, store_maker open, app& owner)
    : settings{std::move(chosen)},
      open_store{std::move(open)},
      common_{std::make_shared<commons>(settings, owner)},
      own_{nullptr},
      events{settings.name_space},
      label_{settings.name_spaces.empty() ? std::string{} : label_of(settings.name_space)} {
    for (const auto& [name, weight] : settings.name_spaces) {
        if (name != settings.name_space) others_.emplace(name, std::make_unique<app_core>(*this, name));
    }
    if (!settings.metrics.empty()) measure();
}

app_core::app_core(app_core& own, std::string name_space)
    : settings{of_name_space(own.settings, std::move(name_space))},
      open_store{own.open_store},
      common_{own.common_},
      own_{&own},
      events{own.events, settings.name_space},
      label_{label_of(settings.name_space)} {}

app_core::~app_core() {
    leave_post();  // what a worker still uses of this object is below
    others_.clear();
    if (!own_) lines.tell_all_left_out();
    // They deliver by the background loop.
    for (const auto& one : outboxes()) one->close();
    if (background_) {
        asio::post(background_->context(), [this] { background_->close(); });
        // The guard's work ends with close(): whoever still waited was told, and the thread runs out of work.
        background_work_.reset();
        background_thread_.join();
    }
    for (auto& front : idle_fronts_) {
        front->close();
        front->context().restart();
        // A coroutine that nobody awaits must not keep the program from ending.
        front->context().run_for(std::chrono::seconds{2});
    }
}

bool app_core::seal_with(std::shared_ptr<const sealing> keys) {
    const std::lock_guard lock{common_->seals_guard};
    if (common_->seals_used) return false;
    common_->seals_now.store(keys.get(), std::memory_order_release);
    common_->seals.push_back(std::move(keys));
    return true;
}

std::shared_ptr<const sealing> app_core::seals_in_use() {
    const std::lock_guard lock{common_->seals_guard};
    common_->seals_used = true;
    return common_->seals.empty() ? nullptr : common_->seals.back();
}

void app_core::measure() { meter.measure(events); }

time_point app_core::now() const {
    if (clock) return clock();
    return std::chrono::floor<duration>(std::chrono::system_clock::now());
}

std::shared_ptr<worker> app_core::running() {
    std::lock_guard lock{guard_};
    return running_;
}

bool app_core::take_post(std::shared_ptr<worker> by) {
    std::lock_guard lock{guard_};
    if (running_) return false;
    running_ = std::move(by);
    return true;
}

void app_core::leave_post() {
    std::shared_ptr<worker> leaving;  // ends outside of the lock: a worker's end takes its time
    {
        std::lock_guard lock{guard_};
        leaving.swap(running_);
    }
}

void app_core::add_outbox(std::shared_ptr<outbox_port> one) {
    std::lock_guard lock{guard_};
    outboxes_.push_back(std::move(one));
}

void app_core::drop_outbox(const outbox_port& one) {
    std::shared_ptr<outbox_port> dropped;  // ends outside of the lock
    std::lock_guard lock{guard_};
    const auto at = std::ranges::find(outboxes_, &one, &std::shared_ptr<outbox_port>::get);
    if (at == outboxes_.end()) return;
    dropped = std::move(*at);
    outboxes_.erase(at);
}

std::vector<std::shared_ptr<outbox_port>> app_core::outboxes() {
    std::lock_guard lock{guard_};
    return outboxes_;
}

std::string app_core::next_name(std::string_view kind) {
    return process_name + std::string{kind} + ':' + std::to_string(++common_->names_given);
}

std::vector<app_core::served_core> app_core::served() {
    if (!serves_several()) return {{this, 1}};
    std::vector<served_core> all;
    for (const auto& [name, weight] : settings.name_spaces)
        all.push_back({name == settings.name_space ? this : others_.at(name).get(), weight});
    return all;
}

loop& app_core::background() {
    auto name = next_name();
    std::lock_guard lock{guard_};
    if (!background_) {
        background_ = std::make_unique<loop>(*this, std::move(name), false);
        background_work_.emplace(background_->executor());
        background_thread_ = std::thread{[this] { background_->context().run(); }};
    }
    return *background_;
}

std::unique_ptr<loop> app_core::borrow_front_loop() {
    {
        std::lock_guard lock{guard_};
        if (!idle_fronts_.empty()) {
            auto front = std::move(idle_fronts_.back());
            idle_fronts_.pop_back();
            return front;
        }
    }
    return std::make_unique<loop>(*this, next_name(), false);
}

void app_core::give_back(std::unique_ptr<loop> front) {
    std::lock_guard lock{guard_};
    idle_fronts_.push_back(std::move(front));
}

}  // namespace errand::detail
