// What leaves a program for the shelf's database and for the store, step by step: who watches that, holds it up, or lets the program die there.
#pragma once

#include "sql/driver.hpp"
#include "store/passing_store.hpp"

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace committed {

// What the rest of the program is told then, which nobody takes for a failure of somebody else.
struct killed {};

// Who is told of each step.
class step_watch {
public:
    virtual ~step_watch() = default;
    // Before it leaves; by which number it is called when its answer is there.
    virtual std::size_t begin() = 0;
    virtual void end(std::size_t) {}
    virtual bool dead() const { return false; }
};

// From a chosen step on nothing leaves any more and no answer is heard, as when the process has died there. Any thread.
class knife final : public step_watch {
public:
    // Before that step leaves, or when it was done and nobody has heard of it. Counted from now on; 0: never.
    void set(std::size_t step, bool when_done) {
        const std::lock_guard lock{guard_};
        at_ = step;
        when_done_ = when_done;
        steps_ = 0;
    }
    std::size_t begin() override {
        const std::lock_guard lock{guard_};
        if (++steps_ == at_ && !when_done_) dead_ = true;
        if (dead_) throw killed{};
        return steps_;
    }
    void end(std::size_t step) override {
        const std::lock_guard lock{guard_};
        if (step == at_) dead_ = true;
        if (dead_) throw killed{};
    }
    bool dead() const override {
        const std::lock_guard lock{guard_};
        return dead_;
    }
    void forgot(std::size_t count) {
        const std::lock_guard lock{guard_};
        forgotten_ += count;
    }
    std::size_t forgotten() const {
        const std::lock_guard lock{guard_};
        return forgotten_;
    }

private:
    mutable std::mutex guard_;
    std::size_t steps_ = 0, at_ = 0, forgotten_ = 0;
    bool when_done_ = false, dead_ = false;
};

// While it is shut nothing leaves: whoever comes is held on his thread.
class gate final : public step_watch {
public:
    void shut() {
        const std::lock_guard lock{guard_};
        shut_ = true;
    }
    void open() {
        const std::lock_guard lock{guard_};
        shut_ = false;
        opened_.notify_all();
    }
    std::size_t begin() override {
        std::unique_lock lock{guard_};
        opened_.wait(lock, [this] { return !shut_; });
        return 0;
    }

private:
    std::mutex guard_;
    std::condition_variable opened_;
    bool shut_ = false;
};

// Each of its calls that have to do with the shelf is a step.
class cut_store final : public errand::passing_store {
public:
    cut_store(std::unique_ptr<errand::store> in, knife& by) : passing_store{std::move(in)}, by_{by} {}

    errand::awaitable<std::vector<errand::submit_answer>> submit(
        std::size_t lane, std::span<const errand::submission_item> items, errand::submit_mode mode) override {
        const auto step = by_.begin();
        auto answers = co_await in_.submit(lane, items, mode);
        by_.end(step);
        co_return answers;
    }
    errand::awaitable<void> forget(std::span<const errand::delivered_task> tasks) override {
        const auto step = by_.begin();
        co_await in_.forget(tasks);
        by_.end(step);
        by_.forgot(tasks.size());
    }
    errand::awaitable<errand::watch_answer> watch(std::span<const errand::watched_task> tasks) override {
        const auto step = by_.begin();
        auto answer = co_await in_.watch(tasks);
        by_.end(step);
        co_return answer;
    }
    errand::awaitable<std::string> find_settings(std::string handler) override {
        const auto step = by_.begin();
        auto record = co_await in_.find_settings(std::move(handler));
        by_.end(step);
        co_return record;
    }

private:
    knife& by_;
};

// Each statement is a step. Of who is dead the database hears that his connection is closed.
class watched_session final : public errand::sql::session {
public:
    watched_session(std::unique_ptr<errand::sql::session> in, step_watch& by) : in_{std::move(in)}, by_{by} {}

    errand::awaitable<errand::sql::result> run(std::string statement,
                                               std::vector<errand::sql::value> values) override {
        const auto step = by_.begin();
        auto got = co_await in_->run(std::move(statement), std::move(values));
        by_.end(step);
        co_return got;
    }
    errand::sql::attachment* attachment() noexcept override { return in_->attachment(); }
    void move_to(boost::asio::io_context& to) override { in_->move_to(to); }
    bool usable() const noexcept override { return in_->usable() && !by_.dead(); }

private:
    std::unique_ptr<errand::sql::session> in_;
    step_watch& by_;
};

class watched_driver final : public errand::sql::driver {
public:
    watched_driver(std::unique_ptr<errand::sql::driver> of, step_watch& by) : of_{std::move(of)}, by_{by} {}

    std::string_view name() const noexcept override { return of_->name(); }
    const std::string& shown_url() const noexcept override { return of_->shown_url(); }
    bool blocks() const noexcept override { return of_->blocks(); }
    bool sessions_move() const noexcept override { return of_->sessions_move(); }
    bool attaches() const noexcept override { return of_->attaches(); }
    errand::awaitable<std::unique_ptr<errand::sql::session>> connect(boost::asio::io_context& on) override {
        if (by_.dead()) throw killed{};
        auto made = co_await of_->connect(on);
        co_return std::make_unique<watched_session>(std::move(made), by_);
    }

private:
    std::unique_ptr<errand::sql::driver> of_;
    step_watch& by_;
};

}  // namespace committed
