#include "transaction/courier.hpp"

#include <errand/error.hpp>

#include "core/attempt_rules.hpp"
#include "runtime/app_core.hpp"
#include "runtime/on_loop.hpp"
#include "runtime/task_event.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include <spdlog/logger.h>

#include <algorithm>

namespace errand::detail {

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t most_in_line = 10'000, most_on_way = 500;
// Rows are struck off in one go for all that is delivered in this time: each go is a commit of the database's, which
// those of the program's own wait for.
constexpr auto gathers_for = 250ms;
constexpr std::size_t most_struck = 1000;
constexpr auto pause_when_away = 1s;
// A lone commit leaves at once; of many a second each call takes along what has come in this time, as a call costs store and
// program ten times what a task in it does. A call that took several commits along says that more are coming: those wait
// for longer, as what the calls cost is what the next commits lack.
constexpr auto least_between_calls = 5ms, least_when_many = 20ms;
constexpr std::size_t many_commits = 4;
constexpr std::size_t worth_a_call = 400;

awaitable<void> pause(std::chrono::milliseconds length) {
    asio::steady_timer timer{co_await asio::this_coro::executor, length};
    co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
}

}  // namespace

void delivery_book::refused(app_core& app, const submission_item& item, const std::exception_ptr& why) {
    const auto body = decode_body(item.body);
    const auto text = body.handler + ' ' + to_text(item.id) + ": " + describe(why).message;
    {
        const std::lock_guard lock{guard_};
        ++refused_;
        last_refusal_ = text;
    }
    app.log->warn("a task was committed, but the store did not take it any more: {}", text);
    auto said = task_event(event_kind::delivery_refused, item.id, body);
    said.text = describe(why).message;
    app.events.publish(said);
}

void delivery_book::fill(outbox_info& into) const {
    into.delivered = own_;
    into.left_behind = left_;
    const std::lock_guard lock{guard_};
    into.refused = refused_;
    into.last_refusal = last_refusal_;
}

courier::courier(database_core& on)
    : of_{on}, app_{on.app()}, there_{app_.background()}, changed_{std::in_place, there_.executor()} {}

time_point courier::store_now() const { return app_.now() + duration{ahead_}; }

bool courier::is_prompt() const noexcept {
    if (away_) return false;
    const auto since = asked_at_.load();
    return since == never || std::chrono::steady_clock::now() - since < usual_answer;
}

void courier::post(std::shared_ptr<database_core> on, parcel one) {
    const auto needs = put_in_line(std::move(one));
    if (needs == need::nothing) return;
    asio::post(there_.context(), [self = shared_from_this(), on = std::move(on), needs] {
        if (needs == need::haste && self->next_call_) self->next_call_->cancel();
        if (needs == need::call)
            asio::co_spawn(self->there_.executor(), self->run(on), asio::detached);  // throws nothing
    });
}

courier::need courier::put_in_line(parcel one) {
    const std::lock_guard lock{guard_};
    // The relay will find them; so will those who wait for them.
    if (tasks_in_line_ > most_in_line || stopped_) return need::nothing;
    tasks_in_line_ += one.items.size();
    const bool hurries = one.awaited || tasks_in_line_ >= worth_a_call;
    awaited_ = awaited_ || one.awaited;
    line_.push_back(std::move(one));
    if (!std::exchange(delivering_, true)) return need::call;
    return hurries ? need::haste : need::nothing;
}

// What is to leave now; false, and the delivery has ended, when there is nothing.
bool courier::fetch_line() {
    const std::lock_guard lock{guard_};
    std::size_t count = 0;
    while (!line_.empty() && (on_way_.empty() || count + line_.front().items.size() <= most_on_way)) {
        count += line_.front().items.size();
        on_way_.push_back(std::move(line_.front()));
        line_.pop_front();
    }
    tasks_in_line_ -= count;
    awaited_ = false;
    delivering_ = !on_way_.empty();
    return delivering_;
}

bool courier::is_delivering() const {
    const std::lock_guard lock{guard_};
    return delivering_;
}

// `on` lives as long as this.
awaitable<void> courier::run(std::shared_ptr<database_core> on) {
    for (co_await let_more_come(); fetch_line(); co_await let_more_come()) {
        last_call_ = std::chrono::steady_clock::now();
        last_commits_ = on_way_.size();
        try {
            co_await deliver_some();
        } catch (const std::exception& e) {
            app_.log->warn("the tasks of {} commits wait in the outbox of {}: {}", on_way_.size(),
                           of_.shown_url(), e.what());
        }
        on_way_.clear();
        if (changed_) changed_->open();
        if (!struck_.empty() && !std::exchange(striking_, true))
            asio::co_spawn(there_.executor(), strike(on), asio::detached);  // throws nothing
    }
    if (changed_) changed_->open();
}

awaitable<std::vector<delivered_item>> courier::bring(std::vector<submission_item> items) {
    for (auto& item : items) item.may_come_again = true;
    std::vector<delivered_item> answers;
    try {
        co_await there_.ready();
        answers = co_await deliver(there_, items);
    } catch (const std::exception&) {
        away_ = true;
        throw;
    }
    away_ = false;
    ahead_ = (there_.tasks().now() - app_.now()).count();
    for (std::size_t i = 0; i < answers.size(); ++i) {
        if (answers[i].refused) {
            book.refused(app_, items[i], answers[i].refused);
        } else {
            tell_submitted(app_.events, items[i], answers[i].answer);
        }
    }
    co_return answers;
}

awaitable<void> courier::deliver_some() {
    std::vector<submission_item> items;
    for (const auto& one : on_way_) items.insert(items.end(), one.items.begin(), one.items.end());
    asked_at_ = std::chrono::steady_clock::now();
    struct answered {
        std::atomic<std::chrono::steady_clock::time_point>& at;
        ~answered() { at = never; }
    } guard{asked_at_};
    const auto answers = co_await bring(std::move(items));
    book.count_own(answers.size());
    std::size_t at = 0;
    for (auto& one : on_way_) {
        tell(one, std::span{answers}.subspan(at, one.items.size()));
        at += one.items.size();
        app_.events.publish({.kind = event_kind::commit_step, .text = "delivered"});
    }
}

void courier::tell(parcel& of, std::span<const delivered_item> answers) {
    struck row{of.batch, {}};
    for (std::size_t i = 0; i < of.tasks.size(); ++i) {
        auto& task = *of.tasks[i];
        row.tasks.push_back({of.items[i].id, incarnation_of(of.items[i].body)});
        auto fate = held_task::fate::submitted;
        if (answers[i].refused) {
            task.refusal = answers[i].refused;
            fate = held_task::fate::refused;
        } else {
            // A repeat of a delivery meets the task itself.
            const bool own = answers[i].answer.life == row.tasks.back().life;
            task.duplicate = answers[i].answer.verdict == submit_verdict::duplicate && !own;
            task.life = answers[i].answer.life;
        }
        task.now.store(fate, std::memory_order_release);
    }
    struck_.push_back(std::move(row));
}

awaitable<void> courier::strike(std::shared_ptr<database_core> on) {
    while (!struck_.empty()) {
        if (struck_.size() < most_struck)
            co_await gather(next_strike_, std::chrono::steady_clock::now() + gathers_for);
        bool failed = false;
        try {
            co_await strike_some(*on);
        } catch (const std::exception& e) {
            failed = true;
            app_.log->warn("what was delivered from {} is not struck off its outbox yet: {}", of_.shown_url(),
                           e.what());
        }
        if (failed && hurry_) break;
        if (failed) co_await pause(pause_when_away);
        // The relay delivers them again, which changes nothing, and strikes them off.
        while (struck_.size() > most_in_line) struck_.pop_front();
    }
    striking_ = false;
    if (changed_) changed_->open();
}

awaitable<void> courier::gather(asio::steady_timer*& by, std::chrono::steady_clock::time_point until) {
    if (hurry_) co_return;
    asio::steady_timer timer{co_await asio::this_coro::executor, until};
    by = &timer;
    co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
    by = nullptr;
}

awaitable<void> courier::let_more_come() {
    const auto until = last_call_ + (last_commits_ < many_commits ? least_between_calls : least_when_many);
    const bool soon = std::chrono::steady_clock::now() < until;
    const auto is_urgent = [this] {
        const std::lock_guard lock{guard_};
        return awaited_ || tasks_in_line_ >= worth_a_call;
    };
    if (soon && !is_urgent()) co_await gather(next_call_, until);
}

awaitable<void> courier::strike_some(database_core& on) {
    outbox_places rows;
    std::vector<delivered_task> tasks;
    std::size_t count = 0;
    while (count < struck_.size() && rows.size() < most_struck) {
        const auto& one = struck_[count++];
        for (std::size_t place = 0; place < one.tasks.size(); ++place)
            rows.add(one.batch, static_cast<std::int64_t>(place));
        tasks.insert(tasks.end(), one.tasks.begin(), one.tasks.end());
    }
    co_await on.run_alone(on.statements()["outbox.strike"], {rows.json(), on.name_space()});
    app_.events.publish({.kind = event_kind::commit_step, .text = "struck"});
    struck_.erase(struck_.begin(), struck_.begin() + static_cast<std::ptrdiff_t>(count));
    co_await there_.tasks().forget(tasks);
}

bool courier::has(const held_task& task) const {
    const auto is_its = [&](const parcel& one) { return one.batch == task.batch; };
    const std::lock_guard lock{guard_};
    return std::ranges::any_of(line_, is_its) || std::ranges::any_of(on_way_, is_its);
}

awaitable<void> courier::of(std::shared_ptr<held_task> task) {
    co_await asio::co_spawn(there_.executor(), wait_for(shared_from_this(), std::move(task)),
                            asio::use_awaitable);
}

// What this process does not deliver itself is there once its row is gone.
awaitable<void> courier::wait_for(std::shared_ptr<courier> self, std::shared_ptr<held_task> task) {
    auto length = 5ms;
    while (task->now.load(std::memory_order_acquire) == held_task::fate::committed) {
        if (!self->changed_)
            throw store_error{"the database object was closed before its tasks were delivered"};
        if (self->has(*task)) {
            co_await self->changed_->wait();
        } else if (co_await self->stands(*task)) {
            co_await pause(length);
            length = std::min(length * 2, 500ms);
        } else {
            // With a biz_id it may have met another task: then whichever is there is meant.
            if (task->biz_id) task->life = 0;
            task->now.store(held_task::fate::submitted, std::memory_order_release);
        }
        co_await asio::this_coro::throw_if_cancelled();
    }
}

awaitable<bool> courier::stands(const held_task& task) {
    const auto got =
        co_await of_.run_alone(of_.statements()["outbox.holds"],
                               {of_.name_space(), task.batch, static_cast<std::int64_t>(task.place)});
    co_return got.rows.at(0).at(0) != sql::value{std::int64_t{0}};
}

void courier::stop() {
    {
        const std::lock_guard lock{guard_};
        stopped_ = true;
    }
    if (changed_) changed_->open();
    changed_.reset();
}

awaitable<void> courier::flush(duration most) {
    const auto until = std::chrono::steady_clock::now() + most;
    hurry_ = true;
    for (auto* timer : {next_call_, next_strike_}) {
        if (timer) timer->cancel();
    }
    while ((is_delivering() || striking_) && !away_ && std::chrono::steady_clock::now() < until)
        co_await pause(2ms);
}

}  // namespace errand::detail
