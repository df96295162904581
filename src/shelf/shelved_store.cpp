#include "shelf/shelved_store.hpp"

#include <errand/error.hpp>

#include "core/random.hpp"
#include "core/record.hpp"
#include "core/shelf_rules.hpp"
#include "store/shards/parallel_calls.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace errand::shelf {

namespace asio = boost::asio;

namespace {

constexpr std::size_t rows_per_page = 500, pages_at_once = 3;
// Of all pages of one look that are under way: a line of 1 Mbit/s carries them while they may be sent (bringing_times).
constexpr std::size_t bytes_at_once = 4 * store::most_bytes_per_call;
// With less room than that no further page is asked for.
constexpr std::size_t least_bytes_per_page = store::most_bytes_per_call;
// Of those that are brought out of turn, when there was no room for all: each that is asked for again is looked for and locked again.
constexpr std::size_t ids_behind_long_ones = 50;
// Who brings a task out of turn has done it by then, or will not.
constexpr duration left_behind_after = std::chrono::minutes{1};
constexpr auto drops_every = std::chrono::minutes{10};

// As the row says. Its time to be started in is counted from when it fell due.
submission_item item_of(const shelved_task& row, time_point now) {
    const auto body = decode_body(row.body);
    submission_item item;
    item.id = row.id;
    item.body = row.body;
    item.queue = body.queue;
    item.priority = body.priority;
    item.at = row.due;
    item.expires_after = body.expires_after;
    if (item.expires_after && row.due < now)
        item.expires_after = std::max(row.due + *item.expires_after - now, duration{0});
    item.gated = !body.gates.empty();
    item.conflict = follows_from_names(row.id) ? on_conflict::keep : on_conflict::where_free;
    item.may_come_again = true;
    return item;
}

}  // namespace

shelved_store::shelved_store(const asio::any_io_executor& executor, std::unique_ptr<store> in,
                             std::shared_ptr<board> rows, duration ahead,
                             std::function<std::unique_ptr<store>()> carrier,
                             std::function<void(std::string_view)> trouble, bringing_times times)
    : passing_store{std::move(in)},
      rows_{std::move(rows)},
      ahead_{ahead},
      make_carrier_{std::move(carrier)},
      trouble_{std::move(trouble)},
      times_{times},
      forgets_{std::make_shared<forgetter>(executor, times.forgets_after)} {}

// What waits for the shelf goes before what it uses.
shelved_store::~shelved_store() {
    forgets_->close();
    calls_.leave();
}

void shelved_store::close() {
    closed_ = true;
    forgets_->close();
    if (carrier_) carrier_->close();
    in_.close();
}

// ---- both belong together --------------------------------------------------------------------------

awaitable<void> shelved_store::ready() {
    if (closed_) throw store_error{"the store was closed"};
    if (!carrier_) carrier_ = make_carrier_();
    while (!ready_ && opening_) {
        asio::steady_timer timer{co_await asio::this_coro::executor, std::chrono::milliseconds{5}};
        co_await timer.async_wait(asio::use_awaitable);
    }
    if (ready_) co_return;
    opening_ = true;
    try {
        if (!carrier_open_) co_await carrier_->open();
        carrier_open_ = true;
        co_await pair();
        ready_ = true;
    } catch (...) {
        opening_ = false;
        throw;
    }
    opening_ = false;
}

// The store says it first, so that of two that begin at once both say the same. By what has a patience: the shard that keeps the
// mark may be away.
awaitable<void> shelved_store::pair() {
    const std::string name{shelf_record_name};
    auto known = decode_shelf_mark(co_await carrier_->find_settings(name));
    while (known == 0) {
        const auto drawn = random_bits() >> 1U | 1U;
        settings_step step{.handler = name, .record = encode_shelf_mark(drawn)};
        const bool said = co_await carrier_->set_settings(std::move(step));
        known = said ? drawn : decode_shelf_mark(co_await carrier_->find_settings(name));
    }
    const auto mark =
        co_await calls_.call(rows_->thread(), [on = rows_.get(), known] { return on->enter(known); });
    if (mark == known) co_return;
    throw store_error{
        "the shelf " + rows_->shown_url() +
        " is that of another namespace or another store than the one that is opened here: what is on it belongs there. Correct "
        "ERRAND_SHELF, or ERRAND_STORE and ERRAND_NAME_SPACE; what is on either stays as it is. Where the store was emptied, and what is "
        "on the shelf is to go on in it: UPDATE errand_shelf SET mark = 0 WHERE name_space = '" +
        rows_->name_space() + "'"};
}

// ---- down ------------------------------------------------------------------------------------------

// To one shard; throws nothing of the store's.
awaitable<shelved_store::carried> shelved_store::carry(std::size_t shard, std::vector<submission_item> items,
                                                       clock::time_point until) {
    carried done{.shard = shard};
    try {
        for (std::size_t from = 0, count = 0; from < items.size(); from += count) {
            // What is sent long after its row was read may have been brought by somebody else, have run and be forgotten.
            if (clock::now() >= until)
                throw store_error{
                    "the store is too slow to take what the shelf has; it stays there: try again"};
            std::size_t bytes = 0;
            for (count = 0; from + count < items.size(); ++count) {
                bytes += items[from + count].body.size();
                if (count > 0 && bytes > most_bytes_per_call) break;
            }
            const auto some = std::span{items}.subspan(from, count);
            const lane_loan lane{lanes_};
            const auto answers = co_await carrier_->submit(lane.at, some, submit_mode::each);
            for (std::size_t i = 0; i < count; ++i) {
                // Another submission of its id is not complete: the next round tries again.
                if (answers[i].verdict == submit_verdict::busy) continue;
                done.brought.push_back({some[i].id, incarnation_of(some[i].body)});
            }
        }
    } catch (const error&) {
        done.failure = std::current_exception();
    }
    co_return done;
}

// Each shard by itself: what one that is away does not take stays, and nothing else.
awaitable<std::size_t> shelved_store::deliver(taken rows, clock::time_point asked,
                                              std::shared_ptr<shelf_pass> of) {
    std::map<std::size_t, std::vector<submission_item>> by_shard;
    const auto now = in_.now();
    for (const auto& row : rows->tasks) {
        const auto shard = in_.shard_of(row.id);
        if (of->away.contains(shard)) continue;
        try {
            by_shard[shard].push_back(item_of(row, now));
        } catch (const bad_data& e) {
            complain(to_text(row.id), e.what());
        }
    }
    std::vector<awaitable<carried>> calls;
    for (auto& [shard, items] : by_shard)
        calls.push_back(carry(shard, std::move(items), asked + times_.sends_for));
    const auto all = co_await shards::all_answers(std::move(calls));
    std::vector<delivered_task> brought;
    std::set<task_id> there;
    for (const auto& one : all) {
        for (const auto& task : one.brought) there.insert(task.id);
        brought.insert(brought.end(), one.brought.begin(), one.brought.end());
        if (!one.failure) continue;
        of->failure = one.failure;
        of->away.insert(one.shard);
    }
    const auto count = co_await calls_.call(rows_->thread(), [on = rows_.get(), rows = std::move(rows),
                                                              there = std::move(there)]() mutable {
        return on->strike(std::move(rows), std::move(there));
    });
    forgets_->later(*carrier_, std::move(brought));
    co_return count;
}

// It stays for somebody to look at; the others go on. Said once.
void shelved_store::complain(const std::string& task, const std::string& why) {
    if (std::exchange(complained_, true) || !trouble_) return;
    trouble_("the shelf " + rows_->shown_url() + " keeps task " + task +
             ", which this version of errand cannot read: " + why);
}

awaitable<std::size_t> shelved_store::take_and_deliver(std::vector<task_id> ids,
                                                       std::shared_ptr<shelf_pass> of) {
    std::size_t count = 0, at_once = ids.size();
    while (!ids.empty()) {
        const auto asked = clock::now();
        const auto first = ids.end() - static_cast<std::ptrdiff_t>(std::min(at_once, ids.size()));
        std::vector<task_id> some{first, ids.end()};
        ids.erase(first, ids.end());
        auto rows = co_await calls_.call(rows_->thread(), [on = rows_.get(), some = std::move(some),
                                                           now = in_.now()]() mutable {
            return on->take(std::move(some), now, bytes_at_once);
        });
        if (!rows) continue;
        if (!rows->left.empty()) at_once = ids_behind_long_ones;
        ids.insert(ids.end(), rows->left.begin(), rows->left.end());
        count += co_await deliver(std::move(rows), asked, of);
    }
    co_return count;
}

awaitable<std::size_t> shelved_store::bring(std::vector<task_id> ids) {
    if (ids.empty()) co_return 0;
    co_await ready();
    // Many may be about one task.
    std::ranges::sort(ids);
    const auto again = std::ranges::unique(ids);
    ids.erase(again.begin(), again.end());
    const auto of = std::make_shared<shelf_pass>();
    const auto count = co_await take_and_deliver(std::move(ids), of);
    if (of->failure) std::rethrow_exception(of->failure);
    co_return count;
}

// What others began to bring out of turn, and did not end.
awaitable<std::size_t> shelved_store::bring_left_behind(std::shared_ptr<shelf_pass> of) {
    const auto by = in_.now() - left_behind_after;
    auto ids = co_await calls_.call(rows_->thread(),
                                    [on = rows_.get(), by] { return on->noted(by, rows_per_page); });
    if (ids.empty()) co_return 0;
    const auto count = co_await take_and_deliver(ids, std::move(of));
    // Of what was not there any more only the note was left.
    co_await calls_.call(rows_->thread(), [on = rows_.get(), ids = std::move(ids), by]() mutable {
        return on->drop_notes(std::move(ids), by);
    });
    co_return count;
}

// The next ones, one behind the other; the database is asked for the next while the store is given this one. Not behind one that ended
// because of its length: it keeps those behind it until it is struck off.
awaitable<std::size_t> shelved_store::fetch_pages(time_point until, std::shared_ptr<shelf_pass> of,
                                                  std::size_t most, std::size_t bytes) {
    const auto asked = clock::now();
    const page_limit limit{of->rows, bytes};
    auto rows =
        co_await calls_.call(rows_->thread(), [on = rows_.get(), until, behind = row_place{of->due, of->id},
                                               limit] { return on->take_due(until, behind, limit); });
    const bool cut = rows && !rows->left.empty();
    of->over = !rows || (!cut && rows->met < limit.rows);
    if (!rows) co_return 0;
    of->due = rows->last.due;
    of->id = rows->last.id;
    // To tell how long a body is MariaDB reads it, also of what there is no room for.
    of->rows = std::min(2 * (cut ? rows->met - rows->left.size() : limit.rows), rows_per_page);
    const auto room = bytes - std::min(bytes, rows->bytes);
    std::vector<awaitable<std::size_t>> both;
    both.push_back(deliver(std::move(rows), asked, of));
    if (!of->over && !cut && most > 1 && room >= least_bytes_per_page)
        both.push_back(fetch_pages(until, of, most - 1, room));
    const auto counts = co_await shards::all_answers(std::move(both));
    co_return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
}

awaitable<std::size_t> shelved_store::fetch_shelved(std::shared_ptr<shelf_pass> of) {
    co_await ready();
    std::size_t count = 0;
    // What is left behind holds up nothing that is due.
    if (!std::exchange(of->begun, true)) {
        try {
            count = co_await bring_left_behind(of);
        } catch (const error&) {
            of->failure = std::current_exception();
        }
    }
    count += co_await fetch_pages(in_.now() + ahead_, of, pages_at_once, bytes_at_once);
    if (of->over && clock::now() >= drop_at_) {
        drop_at_ = clock::now() + drops_every;
        co_await calls_.call(rows_->thread(),
                             [on = rows_.get(), now = in_.now()] { return on->drop_past(now); });
        co_await calls_.call(rows_->thread(), [on = rows_.get(), by = in_.now() - remembers_for] {
            return on->forget_old(by, rows_per_page);
        });
    }
    co_return count;
}

// ---- who asks and changes --------------------------------------------------------------------------

found_task shelved_store::found(shelved_task one) const {
    found_task task;
    task.id = one.id;
    task.where = state::delayed;
    task.body = std::move(one.body);
    task.due_at = one.due;
    task.now = in_.now();
    return task;
}

// It may be on its way: so the store is asked once more.
awaitable<std::optional<found_task>> shelved_store::find(const task_id& id) {
    auto there = co_await in_.find(id);
    if (there) co_return there;
    co_await ready();
    auto rows =
        co_await calls_.call(rows_->thread(), [on = rows_.get(), id]() { return on->find(std::vector{id}); });
    if (!rows.empty()) co_return found(std::move(rows.front()));
    co_return co_await in_.find(id);
}

awaitable<cancel_answer> shelved_store::cancel(const task_id& id, incarnation life,
                                               std::string_view outcome) {
    const auto answer = co_await in_.cancel(id, life, outcome);
    if (answer.known) co_return answer;
    co_await bring({id});
    co_return co_await in_.cancel(id, life, outcome);
}

awaitable<edit_verdict> shelved_store::edit(const edit_call& call) {
    const auto verdict = co_await in_.edit(call);
    if (verdict != edit_verdict::unknown) co_return verdict;
    co_await bring({call.id});
    co_return co_await in_.edit(call);
}

awaitable<remove_verdict> shelved_store::remove(const task_id& id, std::string_view outcome) {
    const auto verdict = co_await in_.remove(id, outcome);
    if (verdict != remove_verdict::unknown) co_return verdict;
    co_await bring({id});
    co_return co_await in_.remove(id, outcome);
}

awaitable<watch_answer> shelved_store::watch(std::span<const watched_task> tasks) {
    auto answer = co_await in_.watch(tasks);
    auto ids = std::exchange(answer.unknown, {});
    // A SQLite file takes one that it does not have for one that it had.
    for (const auto& one : std::exchange(answer.gone, {})) ids.push_back(one.id);
    if (ids.empty()) co_return answer;
    std::vector<watched_task> again;
    for (const auto& one : tasks) {
        if (std::ranges::find(ids, one.id) != ids.end()) again.push_back(one);
    }
    try {
        co_await bring(std::move(ids));
    } catch (const store_error&) {
        // What the store knows is told; of the others nothing is known, and they are asked about again.
        if (again.size() == tasks.size()) throw;
        co_return answer;
    }
    auto late = co_await in_.watch(again);
    std::ranges::move(late.ended, std::back_inserter(answer.ended));
    answer.unknown = std::move(late.unknown);
    answer.gone = std::move(late.gone);
    std::ranges::move(late.replaced, std::back_inserter(answer.replaced));
    answer.now = late.now;
    co_return answer;
}

awaitable<dependency_store::enrol_answer> shelved_store::enrol(const task_id& id, incarnation life,
                                                               std::span<const parent_task> parents) {
    std::vector<task_id> ids;
    for (const auto& one : parents) ids.push_back(one.id);
    co_await bring(std::move(ids));
    co_return co_await in_.enrol(id, life, parents);
}

awaitable<std::vector<standing>> shelved_store::depend(const task_id& child, depend_mode mode,
                                                       std::span<const task_id> parents) {
    // A parent on the shelf knows of no child.
    if (mode != depend_mode::forget) co_await bring({parents.begin(), parents.end()});
    co_return co_await in_.depend(child, mode, parents);
}

awaitable<std::optional<shelf_state>> shelved_store::look_at_shelf() {
    co_await ready();
    auto seen = co_await calls_.call(rows_->thread(), [on = rows_.get()] { return on->look(); });
    co_return std::move(seen);
}

}  // namespace errand::shelf
