// What leaves a program for the shelf's database and for the store, step by step; and an end of it at any of them.
#pragma once

#include "shelf/passing_store.hpp"
#include "sql/driver.hpp"

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace committed {

// What the rest of the program is told then, which nobody takes for a failure of somebody else.
struct killed {};

// From a chosen step on nothing leaves any more and no answer is heard, as when the process has died there. Any thread.
class knife {
public:
    // Before that step leaves, or when it was done and nobody has heard of it. Counted from now on; 0: never.
    void set(std::size_t step, bool when_done) {
        const std::lock_guard lock{guard_};
        at_ = step;
        when_done_ = when_done;
        steps_ = 0;
    }
    std::size_t begin() {
        const std::lock_guard lock{guard_};
        if (++steps_ == at_ && !when_done_) dead_ = true;
        if (dead_) throw killed{};
        return steps_;
    }
    void end(std::size_t step) {
        const std::lock_guard lock{guard_};
        if (step == at_) dead_ = true;
        if (dead_) throw killed{};
    }
    bool dead() const {
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

// Each of its calls that have to do with the shelf is a step.
class cut_store final : public errand::shelf::passing_store {
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
class cut_session final : public errand::sql::session {
public:
    cut_session(std::unique_ptr<errand::sql::session> in, knife& by) : in_{std::move(in)}, by_{by} {}

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
    knife& by_;
};

class cut_driver final : public errand::sql::driver {
public:
    cut_driver(std::unique_ptr<errand::sql::driver> of, knife& by) : of_{std::move(of)}, by_{by} {}

    std::string_view name() const noexcept override { return of_->name(); }
    const std::string& shown_url() const noexcept override { return of_->shown_url(); }
    bool blocks() const noexcept override { return of_->blocks(); }
    bool sessions_move() const noexcept override { return of_->sessions_move(); }
    bool attaches() const noexcept override { return of_->attaches(); }
    errand::awaitable<std::unique_ptr<errand::sql::session>> connect(boost::asio::io_context& on) override {
        if (by_.dead()) throw killed{};
        auto made = co_await of_->connect(on);
        co_return std::make_unique<cut_session>(std::move(made), by_);
    }

private:
    std::unique_ptr<errand::sql::driver> of_;
    knife& by_;
};

}  // namespace committed
