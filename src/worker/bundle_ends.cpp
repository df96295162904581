#include "worker/bundle_ends.hpp"

#include "core/attempt_rules.hpp"
#include "core/bundles.hpp"
#include "runtime/task_event.hpp"
#include "worker/bundle_run.hpp"

#include <algorithm>
#include <unordered_map>

namespace errand {
namespace {

struct carrier_end {
    tidings what = tidings::check;
    std::optional<task_outcome> outcome{};  // nothing: it is no longer kept
    time_point finished_at{};
    std::unordered_map<task_id, item_end> ends{};  // empty: all have succeeded alike
    bool all_alike = true;
};

carrier_end end_of(tidings what, const std::optional<found_task>& found) {
    carrier_end end{.what = what};
    if (!found || !is_end(found->where)) return end;
    end.outcome = decode_outcome(found->outcome);
    end.finished_at = found->finished_at.value_or(found->now);
    if (found->where != state::success) return end;
    for (auto& one : read_bundle_report(end.outcome->result)) {
        end.all_alike = false;
        end.ends.emplace(one.item, std::move(one));
    }
    return end;
}

struct item_terms {
    duration retention{0};
    duration unique_for{0};
};

// Where the handler is not known here, what the body says.
item_terms terms_of_item(worker_shared& shared, const task_body& body) {
    const auto* known = handlers::find(body.handler);
    const auto set = shared.app.overrides.of(known, body.handler);
    const auto terms = known ? terms_of(known->policy, body, set.get()) : terms_of(body, set.get());
    item_terms found{terms.retention, body.biz_id ? terms.unique_for : duration{0}};
    // What holds its biz_id leaves that behind when it is deleted, and not before.
    if (found.unique_for > duration{0}) found.retention = std::max(found.retention, duration{1});
    return found;
}

std::string ended(state as, const carrier_end& end, const item_terms& terms, task_notes notes,
                  std::string result) {
    task_outcome outcome;
    outcome.ended_as = as;
    if (as == state::success) outcome.unique_for = terms.unique_for;
    outcome.retention = terms.retention;
    outcome.started_at = end.outcome->started_at;
    outcome.attempts = notes.attempts;
    outcome.worker = end.outcome->worker;
    outcome.result = std::move(result);
    if (!notes.errors.empty()) outcome.notes = std::move(notes);
    return encode(outcome);
}

struct told_item {
    std::string becomes;  // as `resolve` takes it
    std::optional<event_kind> event{};
    std::string text{};
};

told_item failed(const carrier_end& end, const item_end& how, const item_terms& terms, task_notes notes) {
    notes = failed_in_bundle(std::move(notes), how.why, end.finished_at);
    if (how.dead)
        return {ended(state::dead, end, terms, std::move(notes), {}), event_kind::task_dead, how.why};
    return {collected_again(how.delay, encode(notes)), event_kind::task_retrying, how.why};
}

told_item died(const carrier_end& end, const item_terms& terms, task_notes notes) {
    notes.attempts += end.outcome->attempts;
    std::string why;
    if (end.outcome->notes && !end.outcome->notes->errors.empty()) {
        notes.errors.push_back(end.outcome->notes->errors.back());
        why = notes.errors.back().message;
    }
    return {ended(state::dead, end, terms, std::move(notes), {}), event_kind::task_dead, std::move(why)};
}

told_item not_run(state as, const task_id& carrier, const carrier_end& end, const item_terms& terms,
                  task_notes notes) {
    const auto* how = as == state::dead      ? " is dead"
                      : as == state::expired ? " has expired"
                                             : " was cancelled";
    notes.errors.push_back({notes.attempts, end.finished_at, "errand::bundle",
                            "the run of its bundle, task " + to_text(carrier) + "," + how});
    return {ended(as, end, terms, std::move(notes), {}), std::nullopt, {}};
}

told_item what_becomes(worker_shared& shared, const task_id& carrier, carrier_end& end,
                       const bundle_item& item) {
    const std::string again(1, at_once);
    auto notes = item.notes.empty() ? task_notes{} : decode_notes(item.notes);
    const auto terms = terms_of_item(shared, decode_body(item.body));
    switch (end.what) {
    case tidings::success: {
        // What is not known costs a run, never an item.
        if (!end.outcome) return {again};
        if (end.all_alike) {
            ++notes.attempts;
            return {ended(state::success, end, terms, std::move(notes), {}), event_kind::task_succeeded};
        }
        const auto how = end.ends.find(item.id);
        if (how == end.ends.end()) return {again};
        if (how->second.failed) return failed(end, how->second, terms, std::move(notes));
        ++notes.attempts;
        return {ended(state::success, end, terms, std::move(notes), how->second.result),
                event_kind::task_succeeded};
    }
    case tidings::dead:
        if (end.outcome) return died(end, terms, std::move(notes));
        end.outcome.emplace();
        return not_run(state::dead, carrier, end, terms, std::move(notes));
    default: break;
    }
    if (!end.outcome) end.outcome.emplace();
    return not_run(end.what == tidings::expired ? state::expired : state::cancelled, carrier, end, terms,
                   std::move(notes));
}

void tell_of(worker_shared& shared, const told_item& told, const bundle_item& item) {
    if (!told.event || !shared.app.events.heard()) return;
    auto said = task_event(*told.event, item.id, decode_body(item.body));
    said.text = told.text;
    shared.app.events.publish(said);
}

}  // namespace

awaitable<std::size_t> tell_items(worker_shared& shared, store& in, news one) {
    std::size_t told = 0;
    // The same items wait for its next run.
    if (one.what != tidings::revived) {
        const auto found = co_await in.find(one.about);
        auto end = end_of(one.what, found);
        bundle_page page{.more = true};
        while (page.more) {
            const auto after = page.last;
            page = co_await in.bundle(one.about, after);
            const std::span all{page.items};
            for (std::size_t from = 0; from < all.size(); from += store::heirs_per_call) {
                const auto some = all.subspan(from, std::min(store::heirs_per_call, all.size() - from));
                std::vector<resolution> steps;
                std::vector<delivery> heard(1);
                heard.front() = {.about = one.about, .what = one.what, .token = one.token};
                for (const auto& item : some) {
                    const auto what = what_becomes(shared, one.about, end, item);
                    tell_of(shared, what, item);
                    resolution step{.parent = one.about, .what = tidings::bundled, .cancelled = what.becomes};
                    step.children.push_back(item.id);
                    steps.push_back(std::move(step));
                    heard.front().done.push_back(item.id);
                }
                const auto again = co_await in.resolve(steps, {});
                for (const auto& left : again) {
                    for (const auto& id : left) std::erase(heard.front().done, id);
                }
                co_await in.delivered(heard);
                told += some.size();
            }
        }
    }
    co_return told;
}

}  // namespace errand
