#include "outbox/courier.hpp"

#include <errand/error.hpp>

#include "client/schedule_change.hpp"
#include "client/within_quota.hpp"
#include "core/attempt_rules.hpp"
#include "core/quota_record.hpp"
#include "core/settings_record.hpp"
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
#include <iterator>
#include <numeric>
#include <set>

namespace errand::detail {

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

// There may be one for each set of shards; what comes then has one that waits for all of them.
constexpr std::size_t most_lanes = 500;
constexpr std::size_t most_in_line = 10'000, most_in_lines = 40'000, most_on_way = 500;
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

bool is_last_of_commit(const std::vector<outbox_entry>& in, std::size_t at) {
    return at + 1 == in.size() || in[at + 1].batch != in[at].batch;
}

std::size_t commits_in(const std::vector<outbox_entry>& entries) {
    std::size_t n = 0;
    for (std::size_t at = 0; at < entries.size(); ++at) n += is_last_of_commit(entries, at) ? 1U : 0U;
    return n;
}

bool is_awaited(const outbox_entry& one) { return one.task->biz_id || one.task->schedule; }

}  // namespace

void delivery_counts::refused(app_core& app, const submission_item& item, const std::exception_ptr& why) {
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
    app.events.publish(std::move(said));
}

void delivery_counts::fill(outbox_info& into) const {
    into.delivered = own_;
    into.left_behind = left_;
    const std::lock_guard lock{guard_};
    into.refused = refused_;
    into.last_refusal = last_refusal_;
}

courier::courier(database_core& on)
    : of_{on},
      app_{on.app()},
      there_{app_.background()},
      away_{std::make_unique<std::atomic<bool>[]>(there_.tasks().shards())},
      striker_{on, there_,
               [this] {
                   if (changed_) changed_->open();
               }},
      changed_{std::in_place, there_.executor()} {}

time_point courier::store_now() const { return app_.now() + duration{ahead_}; }

bool courier::is_prompt(const held_task& task) const {
    const auto shards = route_of(there_.tasks(), task);
    if (is_away(shards)) return false;
    const std::lock_guard lock{guard_};
    const auto at = lanes_.find(shards);
    const auto since = at == lanes_.end() ? never : at->second.asked_at.load();
    return since == never || std::chrono::steady_clock::now() - since < usual_answer;
}

bool courier::is_away(const shard_set& shards) const {
    return std::ranges::any_of(shards, [this](std::size_t shard) { return away_[shard].load(); });
}

bool courier::quota_is_away() const {
    return away_[there_.tasks().shard_of(place_of_settings(quota_record_name))];
}

// Which of several shards is away that a call concerned is not known; they have calls of their own.
void courier::note_away(std::span<const outbox_entry> entries, bool away) {
    if (there_.tasks().shards() == 1) {
        away_[0] = away;
        return;
    }
    for (const auto& one : entries) {
        const auto shards = route_of(there_.tasks(), one);
        if (shards.size() == 1) away_[shards.front()] = away;
    }
}

void courier::post(std::shared_ptr<database_core> on, std::vector<outbox_entry> commit) {
    auto all = put_in_line(std::move(commit));
    if (all.empty()) return;
    asio::post(there_.context(), [self = shared_from_this(), on = std::move(on), all = std::move(all)] {
        for (const auto& [lane, needs] : all) {
            if (needs == need::haste && lane->next_call) lane->next_call->cancel();
            if (needs == need::call)
                asio::co_spawn(self->there_.executor(), self->run(on, *lane),
                               asio::detached);  // throws nothing
        }
    });
}

courier::needs_of_lanes courier::put_in_line(std::vector<outbox_entry> commit) {
    needs_of_lanes all;
    const std::lock_guard lock{guard_};
    if (stopped_) return all;
    const auto known_before = tickets_;
    const auto waited = waiting_;
    std::unordered_set<task_id> left;
    for (auto& one : commit) {
        const auto id = one.item.id;
        auto& in = lane_for(one);
        const bool needs_one_left =
            left.contains(id) || std::ranges::any_of(one.item.after, [&](const parent_task& parent) {
                return left.contains(parent.id);
            });
        // The relay will find them; so will those who wait for them.
        if (needs_one_left || (waited > most_in_lines && takes_no_more(in, 0, known_before)) ||
            takes_no_more(in, most_in_line, known_before)) {
            left.insert(id);
            continue;
        }
        const auto needs = put_in_line(in, std::move(one));
        const auto known = std::ranges::find(all, &in, &std::pair<lane*, need>::first);
        if (known != all.end()) {
            known->second = std::max(known->second, needs);
        } else if (needs != need::nothing) {
            all.emplace_back(&in, needs);
        }
    }
    return all;
}

// It was full before this commit: that is not torn apart.
bool courier::takes_no_more(const lane& in, std::size_t most, std::uint64_t before) {
    return in.line.size() > most && in.line[most].ticket <= before;
}

courier::lane& courier::lane_for(const outbox_entry& one) {
    auto shards = route_of(there_.tasks(), one);
    for (const auto& other : before(one)) {
        shard_set both;
        std::ranges::set_union(shards, other.in->shards, std::back_inserter(both));
        shards = std::move(both);
    }
    if (shards.size() > 1 && lanes_.size() >= most_lanes && !lanes_.contains(shards)) {
        shards.resize(there_.tasks().shards());
        std::iota(shards.begin(), shards.end(), std::size_t{0});
    }
    auto& in = lanes_[shards];
    if (in.shards.empty()) in.shards = std::move(shards);
    return in;
}

courier::need courier::put_in_line(lane& in, outbox_entry one) {
    // The transaction waits for the store's word.
    const bool awaited = is_awaited(one);
    one.ticket = ++tickets_;
    if (there_.tasks().shards() > 1) unanswered_.emplace(one.item.id, position{&in, one.ticket});
    in.line.push_back(std::move(one));
    ++waiting_;
    in.awaited = in.awaited || awaited;
    if (!std::exchange(in.delivering, true)) return need::call;
    return awaited || in.line.size() >= worth_a_call ? need::haste : need::nothing;
}

// What it must not overtake.
std::vector<courier::position> courier::before(const outbox_entry& one) const {
    std::vector<position> all;
    if (unanswered_.empty()) return all;
    const auto add = [&](const task_id& other) {
        const auto [from, to] = unanswered_.equal_range(other);
        for (auto at = from; at != to; ++at) all.push_back(at->second);
    };
    add(one.item.id);
    for (const auto& parent : one.item.after) add(parent.id);
    return all;
}

void courier::strike_out(const task_id& id, std::uint64_t ticket) {
    const auto [from, to] = unanswered_.equal_range(id);
    for (auto at = from; at != to; ++at) {
        if (at->second.ticket != ticket) continue;
        unanswered_.erase(at);
        return;
    }
}

// What is to leave now, whole commits, is on its way then: nothing while it has to wait for what leaves by other lanes. False, and
// the delivery has ended, when there is nothing.
bool courier::fetch_line(lane& of) {
    auto& line = of.line;
    auto& on_way = of.on_way;
    const std::lock_guard lock{guard_};
    while (!line.empty() && (on_way.size() < most_on_way || on_way.back().batch == line.front().batch) &&
           !must_wait(of, line.front())) {
        on_way.push_back(std::move(line.front()));
        line.pop_front();
        --waiting_;
    }
    of.awaited = false;
    of.delivering = !on_way.empty() || !line.empty();
    return of.delivering;
}

// By the order of tickets nothing waits in a circle.
bool courier::must_wait(const lane& in, const outbox_entry& one) const {
    if (unanswered_.empty()) return false;
    return std::ranges::any_of(before(one), [&](const position& other) {
        return other.in != &in && other.ticket < one.ticket;
    });
}

// `left`: of these, what stays in the outbox.
void courier::answered(lane& of, std::unordered_set<task_id> left) {
    {
        const std::lock_guard lock{guard_};
        of.on_way.clear();
        if (!left.empty()) leave_what_needs(std::move(left));
    }
    if (changed_) changed_->open();
}

// It would be taken for what depends on a task that is kept no longer, or for the first of its id; the relay delivers both.
void courier::leave_what_needs(std::unordered_set<task_id> left) {
    for (bool more = true; more;) {
        more = false;
        for (auto& [shards, one] : lanes_) {
            waiting_ -= std::erase_if(one.line, [&](const outbox_entry& entry) {
                const auto id = entry.item.id;
                const auto needs_it = [&](const parent_task& parent) { return left.contains(parent.id); };
                if (!left.contains(id) && std::ranges::none_of(entry.item.after, needs_it)) return false;
                more = left.insert(id).second || more;
                strike_out(id, entry.ticket);
                return true;
            });
        }
    }
}

bool courier::is_delivering() const {
    const std::lock_guard lock{guard_};
    return std::ranges::any_of(lanes_, [this](const auto& one) {
        return one.second.delivering && !is_away(one.first);
    });
}

// Whoever waits for a task of it has this alive, and is told that it was stopped.
void courier::give_up(lane& of) {
    std::deque<outbox_entry> dropped;
    const std::lock_guard lock{guard_};
    dropped.swap(of.line);
    waiting_ -= dropped.size();
}

// `on` lives as long as this.
awaitable<void> courier::run(std::shared_ptr<database_core> on, lane& of) {
    for (co_await let_more_come(of); fetch_line(of); co_await let_more_come(of)) {
        if (of.on_way.empty()) {
            if (!changed_) {
                give_up(of);
                break;
            }
            co_await changed_->wait();
            continue;
        }
        std::vector<std::pair<task_id, std::uint64_t>> ids;
        for (const auto& one : of.on_way) ids.emplace_back(one.item.id, one.ticket);
        std::unordered_set<task_id> left;
        bool failed = false;
        try {
            left = co_await deliver_own(on, of);
        } catch (const std::exception& e) {
            failed = true;
            app_.log->warn("{} tasks wait in the outbox of {}: {}", of.on_way.size(), of_.shown_url(),
                           e.what());
        }
        {
            const std::lock_guard lock{guard_};
            for (const auto& [id, ticket] : ids) strike_out(id, ticket);
        }
        if (failed) {
            for (const auto& one : ids) left.insert(one.first);
        }
        answered(of, std::move(left));
    }
    if (changed_) changed_->open();
}

// The ids of those that stay in the outbox.
awaitable<std::unordered_set<task_id>> courier::deliver_own(std::shared_ptr<database_core> on, lane& of) {
    of.last_call = std::chrono::steady_clock::now();
    of.last_commits = commits_in(of.on_way);
    co_await leave_out_what_is_gone(of);
    if (of.on_way.empty()) co_return std::unordered_set<task_id>{};
    co_return co_await deliver_some(on, of);
}

// What has waited for long may have been delivered by a relay, run and forgotten: the store would take it for another one.
awaitable<void> courier::leave_out_what_is_gone(lane& of) {
    std::vector<outbox_entry> old;
    std::set<std::pair<std::string, std::int64_t>> gone;
    for (const auto& one : of.on_way) {
        if (is_own(one.made)) continue;
        old.push_back({.batch = one.batch, .place = one.place});
        gone.emplace(one.batch, one.place);
    }
    if (old.empty()) co_return;
    const auto got =
        co_await of_.run_alone(of_.statements()["outbox.standing"], {places_of(old), of_.name_space()});
    for (const auto& row : rows_in<std::pair<std::string, std::int64_t>>(got)) gone.erase(row);
    std::erase_if(of.on_way, [&](const outbox_entry& one) { return gone.contains({one.batch, one.place}); });
}

awaitable<std::vector<brought>> courier::bring(std::span<const outbox_entry> entries) {
    std::vector<brought> all(entries.size());
    try {
        co_await there_.ready();
        co_await bring_tasks(entries, all);
        co_await declare_those_of(entries, all);
    } catch (const std::exception&) {
        note_away(entries, true);
        throw;
    }
    note_away(entries, false);
    ahead_ = (there_.tasks().now() - app_.now()).count();
    co_return all;
}

awaitable<std::size_t> courier::count_admitted(std::span<const outbox_entry> entries) {
    if (!app_.overrides.any_quota()) co_return entries.size();
    const auto asks = [](const outbox_entry& one) { return one.schedule.empty() && !one.admitted; };
    const auto count = std::ranges::count_if(entries, asks);
    if (count == 0) co_return entries.size();
    const auto got = co_await there_.quotas().take(count, false);
    auto left = got.admitted;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (asks(entries[i]) && left-- == 0) co_return i;
    }
    co_return entries.size();
}

// What the quota keeps waits, and with it what comes after: it may depend on it.
awaitable<void> courier::bring_tasks(std::span<const outbox_entry> entries, std::vector<brought>& into) {
    std::vector<submission_item> items;
    std::vector<std::size_t> places;
    const auto admitted = co_await count_admitted(entries);
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (!entries[i].schedule.empty()) continue;
        if (i >= admitted) {
            into[i].stays = into[i].over_quota = true;
            continue;
        }
        items.push_back(entries[i].item);
        items.back().may_come_again = true;
        places.push_back(i);
    }
    auto answers = co_await deliver(there_, std::move(items), app_.settings.store_timeout);
    for (std::size_t n = 0; n < answers.size(); ++n) {
        const auto& item = entries[places[n]].item;
        auto& got = into[places[n]].got = std::move(answers[n]);
        into[places[n]].stays = got.failed != nullptr;
        if (got.failed) continue;
        if (got.refused) {
            counts.refused(app_, item, got.refused);
        } else {
            tell_submitted(app_.events, item, got.answer);
        }
    }
}

// One that cannot be declared now does not hold up the tasks beside it.
awaitable<void> courier::declare_those_of(std::span<const outbox_entry> entries, std::vector<brought>& into) {
    std::exception_ptr failed;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (entries[i].schedule.empty()) continue;
        into[i].stays = true;
        try {
            if (!failed) into[i].stays = !co_await declare(entries[i]);
        } catch (const store_error&) {
            failed = std::current_exception();
        }
        if (into[i].stays) into[i].got.failed = failed;
    }
    if (failed && std::ranges::all_of(into, &brought::stays)) std::rethrow_exception(failed);
}

// False: not by this process. Its machine does not know the time zone, or a later version has written what is there.
awaitable<bool> courier::declare(const outbox_entry& entry) {
    std::string why;
    try {
        std::vector<schedule_record> one;
        one.push_back(decode_schedule(entry.schedule));
        co_await declare_all(there_.tasks(), std::move(one), app_.zone_finder());
        co_return true;
    } catch (const store_error&) {
        throw;
    } catch (const error& e) {
        why = e.what();
    }
    of_.complain("errand_outbox, batch " + entry.batch + ", place " + std::to_string(entry.place) +
                 ": the schedule is not declared yet: " + why);
    co_return false;
}

// The ids of those that stay in the outbox.
awaitable<std::unordered_set<task_id>> courier::deliver_some(const std::shared_ptr<database_core>& on,
                                                             lane& of) {
    of.asked_at = std::chrono::steady_clock::now();
    struct until_answered {
        std::atomic<std::chrono::steady_clock::time_point>& at;
        ~until_answered() { at = never; }
    } guard{of.asked_at};
    const auto all = co_await bring(of.on_way);
    warn_of_first(all);
    std::unordered_set<task_id> left;
    std::vector<outbox_entry> done;
    for (std::size_t i = 0; i < of.on_way.size(); ++i) {
        const bool is_last = is_last_of_commit(of.on_way, i);
        if (all[i].stays) {
            left.insert(of.on_way[i].item.id);
        } else {
            tell(of.on_way[i], all[i].got);
            done.push_back(std::move(of.on_way[i]));
        }
        if (is_last) app_.events.publish({.kind = event_kind::commit_step, .text = "delivered"});
    }
    counts.count_own(done.size());
    strike(on, done);
    co_return left;
}

void courier::forget_later(std::vector<delivered_task> tasks) { striker_.forget_later(std::move(tasks)); }

awaitable<void> courier::forget_what_is_due() { return striker_.forget_what_is_due(); }

void courier::strike(std::shared_ptr<database_core> on, const std::vector<outbox_entry>& delivered) {
    striker_.add(std::move(on), delivered);
}

void courier::warn_of_first(const std::vector<brought>& all) const {
    const auto late = std::ranges::find_if(all, [](const brought& one) { return one.got.failed != nullptr; });
    if (late == all.end()) return;
    const auto count =
        std::count_if(late, all.end(), [](const brought& one) { return one.got.failed != nullptr; });
    app_.log->warn("{} of {} tasks wait in the outbox of {}: {}", count, all.size(), of_.shown_url(),
                   describe(late->got.failed).message);
}

void courier::tell(outbox_entry& entry, const delivered_item& answer) {
    auto& task = *entry.task;
    if (answer.refused) {
        task.refusal = answer.refused;
    } else {
        // A repeat of a delivery meets the task itself.
        const bool own = answer.answer.life == entry.life;
        task.duplicate = answer.answer.verdict == submit_verdict::duplicate && !own;
        task.life = answer.answer.life;
    }
    task.now.store(answer.refused ? held_task::fate::refused : held_task::fate::submitted,
                   std::memory_order_release);
}

awaitable<void> courier::let_more_come(lane& of) {
    const auto until =
        of.last_call + (of.last_commits < many_commits ? least_between_calls : least_when_many);
    const bool soon = std::chrono::steady_clock::now() < until;
    const auto is_urgent = [&] {
        const std::lock_guard lock{guard_};
        return of.awaited || of.line.size() >= worth_a_call;
    };
    if (hurry_ || !soon || is_urgent()) co_return;
    asio::steady_timer timer{co_await asio::this_coro::executor, until};
    of.next_call = &timer;
    co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
    of.next_call = nullptr;
}

bool courier::has(const held_task& task) const {
    const auto is_its = [&](const outbox_entry& entry) { return entry.task.get() == &task; };
    const std::lock_guard lock{guard_};
    if (there_.tasks().shards() > 1) return unanswered_.contains(entry_id(task));
    return std::ranges::any_of(lanes_, [&](const auto& one) {
        return std::ranges::any_of(one.second.line, is_its) || std::ranges::any_of(one.second.on_way, is_its);
    });
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
    {
        const std::lock_guard lock{guard_};
        for (auto& [shards, one] : lanes_) {
            if (one.next_call) one.next_call->cancel();
        }
    }
    striker_.hurry();
    while ((is_delivering() || striker_.is_busy()) && std::chrono::steady_clock::now() < until)
        co_await pause(2ms);
}

}  // namespace errand::detail
