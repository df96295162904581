// Onto the shelf, and past it.
#include "core/record.hpp"
#include "core/shelf_rules.hpp"
#include "shelf/shelved_store.hpp"

#include <map>
#include <set>
#include <utility>

namespace errand::shelf {

namespace {

shelved_task row_of(const submission_item& item, time_point now) {
    return {item.id, item.at.value_or(now + item.delay.value_or(duration{0})), item.body,
            may_be_held(item.id, item.conflict), item.may_come_again_there};
}

// What may stand on the shelf and has to be in the store: who holds an id that others use as well, and what another task is about. One
// that is submitted just now under an id drawn by chance is nowhere else.
std::vector<task_id> ids_to_bring(std::span<const submission_item> items) {
    std::set<task_id> drawn;
    for (const auto& one : items) {
        if (!follows_from_names(one.id)) drawn.insert(one.id);
    }
    std::vector<task_id> ids;
    for (const auto& one : items) {
        if ((one.shelve_after || one.may_come_again) && may_be_held(one.id, one.conflict))
            ids.push_back(one.id);
        for (const auto& parent : one.after) {
            if (!drawn.contains(parent.id)) ids.push_back(parent.id);
        }
        if (one.instead_of) ids.push_back(one.instead_of->id);
    }
    return ids;
}

}  // namespace

awaitable<std::vector<submit_answer>> shelved_store::submit(std::size_t lane,
                                                            std::span<const submission_item> items,
                                                            submit_mode mode) {
    if (!items.empty() && items.front().asks_shelf) {
        // Batches over several shards have lanes of their own.
        if (lane < submit_lanes) lane += lane_behind_shelf;
        if (mode == submit_mode::each) co_return co_await submit_aside(lane, items);
    }
    auto ids = ids_to_bring(items);
    if (!ids.empty()) co_await bring(std::move(ids));
    co_return co_await in_.submit(lane, items, mode);
}

// By the store's own lanes for these, and so with the patience that whoever submits has.
awaitable<std::vector<submit_answer>> shelved_store::submit_aside(std::size_t lane,
                                                                  std::span<const submission_item> items) {
    co_await ready();
    const auto before = co_await came_there(items);
    const auto came = [&](const submission_item& one) {
        return !before.empty() && before.contains({one.id, incarnation_of(one.body)});
    };
    std::vector<submission_item> far, near;
    for (const auto& one : items) {
        if (!came(one)) (one.for_shelf ? far : near).push_back(one);
    }
    const auto put_there = far.empty() ? std::vector<submit_answer>{} : co_await put(lane, far);
    std::vector<submit_answer> taken_here;
    if (!near.empty()) {
        co_await bring(ids_to_bring(near));
        taken_here = co_await in_.submit(lane, near, submit_mode::each);
    }
    std::vector<submit_answer> all;
    auto next_far = put_there.begin();
    auto next_near = taken_here.begin();
    for (const auto& one : items) {
        if (came(one)) {
            all.push_back({submit_verdict::duplicate, incarnation_of(one.body)});
        } else {
            all.push_back(one.for_shelf ? *next_far++ : *next_near++);
        }
    }
    co_return all;
}

// Of those that may have been on the shelf, whether or not they are to go there now: time has gone by, or it is another setting.
awaitable<arrivals> shelved_store::came_there(std::span<const submission_item> items) {
    std::vector<task_id> ids;
    for (const auto& one : items) {
        if (one.may_come_again_there) ids.push_back(one.id);
    }
    co_return co_await arrived(std::move(ids));
}

awaitable<arrivals> shelved_store::arrived(std::vector<task_id> ids) {
    if (ids.empty()) co_return arrivals{};
    co_return co_await calls_.call(rows_->thread(), [on = rows_.get(), ids = std::move(ids)]() mutable {
        return on->arrived(std::move(ids));
    });
}

// The store does not forget those that were on the shelf: who brings one may be sending it still, and has it forgotten when he has done.
awaitable<void> shelved_store::forget(std::span<const delivered_task> tasks) {
    std::vector<delivered_task> here, there;
    for (const auto& one : tasks) (one.may_be_on_shelf ? there : here).push_back(one);
    std::vector<arrival> came;
    if (!there.empty()) {
        co_await ready();
        std::vector<task_id> ids;
        for (const auto& one : there) ids.push_back(one.id);
        const auto known = co_await arrived(std::move(ids));
        for (const auto& one : there) {
            if (known.contains({one.id, one.life})) {
                came.emplace_back(one.id, one.life);
            } else {
                here.push_back(one);
            }
        }
    }
    if (!here.empty()) co_await in_.forget(here);
    if (came.empty()) co_return;
    co_await calls_.call(rows_->thread(), [on = rows_.get(), came = std::move(came)]() mutable {
        return on->forget(std::move(came));
    });
}

// What the store would say of each, which writes nothing.
awaitable<std::vector<submit_answer>> shelved_store::ask(std::size_t lane,
                                                         const std::vector<submission_item>& items) {
    auto answers = co_await in_.submit(lane, items, submit_mode::ask);
    for (auto& one : answers) {
        // Because of another one of them: it is asked again.
        if (one.verdict == submit_verdict::withheld) one.verdict = submit_verdict::busy;
    }
    co_return answers;
}

// One that may be refused, or take the place of another: the store decides, and what it would take anew goes on the shelf.
awaitable<submit_answer> shelved_store::put_over(std::size_t lane, submission_item item) {
    co_await bring({item.id});
    auto answers = co_await in_.submit(lane, std::span{&item, 1}, submit_mode::ask);
    if (answers.at(0).verdict == submit_verdict::accepted) {
        std::vector<shelved_task> row{row_of(item, in_.now())};
        const auto lives =
            co_await calls_.call(rows_->thread(), [on = rows_.get(), row = std::move(row)]() mutable {
                return on->put(std::move(row));
            });
        const auto mine = incarnation_of(item.body);
        answers[0].life = lives.at(0);
        // Somebody was faster: once more, as with one that another submission holds.
        if (lives[0] != mine) answers[0].verdict = submit_verdict::busy;
        co_return answers[0];
    }
    if (answers[0].verdict != submit_verdict::replaced) co_return answers[0];
    answers = co_await in_.submit(lane, std::span{&item, 1}, submit_mode::each);
    co_return answers.at(0);
}

awaitable<std::vector<submit_answer>> shelved_store::put(std::size_t lane,
                                                         std::span<const submission_item> items) {
    std::vector<submit_answer> answers(items.size());
    std::vector<submission_item> held;
    std::vector<std::size_t> places, rows_of;
    std::vector<shelved_task> rows;
    const auto now = in_.now();
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (!may_be_held(items[i].id, items[i].conflict)) {
            rows.push_back(row_of(items[i], now));
            rows_of.push_back(i);
        } else if (keeps_holder(items[i].conflict)) {
            held.push_back(items[i]);
            places.push_back(i);
        } else {
            answers[i] = co_await put_over(lane, items[i]);
        }
    }
    // Nothing of the store's own forbids these; what holds an id in it is the task.
    const auto said = held.empty() ? std::vector<submit_answer>{} : co_await ask(lane, held);
    for (std::size_t i = 0; i < held.size(); ++i) {
        answers[places[i]] = said[i];
        if (said[i].verdict != submit_verdict::accepted) continue;
        rows.push_back(row_of(held[i], now));
        rows_of.push_back(places[i]);
    }
    if (rows.empty()) co_return answers;
    const auto lives =
        co_await calls_.call(rows_->thread(), [on = rows_.get(), rows = std::move(rows)]() mutable {
            return on->put(std::move(rows));
        });
    std::map<task_id, incarnation> holders;
    for (std::size_t i = 0; i < rows_of.size(); ++i) {
        auto& answer = answers[rows_of[i]];
        holders[items[rows_of[i]].id] = answer.life = lives[i];
        answer.verdict = lives[i] == incarnation_of(items[rows_of[i]].body) ? submit_verdict::accepted
                                                                            : submit_verdict::duplicate;
    }
    // Others of the same id in this call are told of what holds it now.
    for (const auto place : places) {
        const auto holder = holders.find(items[place].id);
        if (holder != holders.end()) answers[place].life = holder->second;
    }
    co_return answers;
}

}  // namespace errand::shelf
