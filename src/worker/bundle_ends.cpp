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
    bool kept = false;  // else nothing more is known of it
    task_outcome outcome{};
    time_point finished_at{};
    std::unordered_map<task_id, item_end> ends{};  // empty: all have succeeded alike
    bool all_alike = true;
};

tidings tidings_of(state end) {
    switch (end) {
    case state::success: return tidings::success;
    case state::dead: return tidings::dead;
    case state::expired: return tidings::expired;
    default: return tidings::cancelled;
    }
}

// How it stands now: it may have been revived since, and ended otherwise.
carrier_end end_of(tidings what, const std::optional<found_task>& found) {
    carrier_end end{.what = what};
    if (!found || !is_end(found->where)) return end;
    end.what = tidings_of(found->where);
    end.kept = true;
    end.outcome = decode_outcome(found->outcome);
    end.finished_at = found->finished_at.value_or(found->now);
    if (found->where != state::success) return end;
    for (auto& one : read_bundle_report(end.outcome.result)) {
        end.all_alike = false;
        end.ends.emplace(one.item, std::move(one));
    }
    return end;
}

// Items must not go without what their run has said of them.
void need_readable(const worker_shared& shared, const std::optional<found_task>& found) {
    if (!found || found->where != state::success) return;
    need_open(shared.app.seals(), decode_outcome(found->outcome).result,
              "the result of task " + to_text(found->id) + " is");
}

struct item_terms {
    duration retention{0};
    duration unique_for{0};
};

// Where the handler is not known here, what the body and its carrier say.
item_terms terms_of_item(worker_shared& shared, const carrier_end& end, const task_body& body) {
    const auto* known = handlers::find(body.handler);
    const auto set = shared.app.overrides.of(known, body.handler);
    const auto terms = known ? terms_of(known->policy, body, set.get()) : terms_of(body, set.get());
    item_terms found{terms.retention, body.biz_id ? terms.unique_for : duration{0}};
    if (!known && body.biz_id && end.outcome.unique_for > duration{0})
        found.unique_for = end.outcome.unique_for;
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
    outcome.started_at = end.outcome.started_at;
    outcome.attempts = notes.attempts;
    outcome.worker = end.outcome.worker;
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
    const auto said = end.outcome.notes.value_or(task_notes{});
    notes = died_in_bundle(std::move(notes), end.outcome.attempts, said);
    std::string why = said.errors.empty() ? std::string{} : said.errors.back().message;
    return {ended(state::dead, end, terms, std::move(notes), {}), event_kind::task_dead, std::move(why)};
}

told_item not_run(state as, const task_id& carrier, const carrier_end& end, const item_terms& terms,
                  task_notes notes) {
    const auto* how = as == state::dead      ? " is dead"
                      : as == state::expired ? " has expired"
                                             : " was cancelled";
    const auto why = "the run of its bundle, task " + to_text(carrier) + "," + how;
    task_notes said;
    said.errors.push_back({notes.attempts, end.finished_at, "errand::bundle", why});
    notes = died_in_bundle(std::move(notes), 0, said);
    const auto event = as == state::dead ? std::optional{event_kind::task_dead} : std::nullopt;
    return {ended(as, end, terms, std::move(notes), {}), event, why};
}

told_item succeeded(const carrier_end& end, const bundle_item& item, const item_terms& terms,
                    task_notes notes) {
    const auto how = end.ends.find(item.id);
    // What is not known costs a run, never an item.
    if (!end.kept || (!end.all_alike && how == end.ends.end())) return {.becomes = std::string(1, at_once)};
    if (how != end.ends.end() && how->second.failed) return failed(end, how->second, terms, std::move(notes));
    ++notes.attempts;
    const auto result = how == end.ends.end() ? std::string{} : how->second.result;
    return {ended(state::success, end, terms, std::move(notes), result), event_kind::task_succeeded, {}};
}

told_item what_becomes(worker_shared& shared, const task_id& carrier, const carrier_end& end,
                       const bundle_item& item) {
    auto notes = item.notes.empty() ? task_notes{} : decode_notes(item.notes);
    const auto terms = terms_of_item(shared, end, decode_body(item.body));
    switch (end.what) {
    case tidings::success: return succeeded(end, item, terms, std::move(notes));
    case tidings::dead:
        if (end.kept) return died(end, terms, std::move(notes));
        return not_run(state::dead, carrier, end, terms, std::move(notes));
    case tidings::expired: return not_run(state::expired, carrier, end, terms, std::move(notes));
    default: return not_run(state::cancelled, carrier, end, terms, std::move(notes));
    }
}

void tell_of(worker_shared& shared, const told_item& told, const bundle_item& item) {
    if (!told.event || !shared.app.events.heard()) return;
    auto said = task_event(*told.event, item.id, decode_body(item.body));
    said.text = told.text;
    shared.app.events.publish(std::move(said));
}

}  // namespace

awaitable<std::size_t> tell_items(worker_shared& shared, store& in, news one) {
    std::size_t told = 0;
    // Revived: the same items wait for its next run.
    const bool has_ended = one.what == tidings::success || one.what == tidings::dead ||
                           one.what == tidings::cancelled || one.what == tidings::expired;
    if (has_ended) {
        const auto found = co_await in.find(one.about);
        need_readable(shared, found);
        const auto end = end_of(one.what, found);
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
                std::vector<told_item> said;
                for (const auto& item : some) {
                    said.push_back(what_becomes(shared, one.about, end, item));
                    resolution step{
                        .parent = one.about, .what = tidings::bundled, .cancelled = said.back().becomes};
                    step.children.push_back(item.id);
                    steps.push_back(std::move(step));
                }
                const auto again = co_await in.resolve(steps, {});
                for (std::size_t at = 0; at < some.size(); ++at) {
                    if (!again.at(at).empty()) continue;
                    tell_of(shared, said[at], some[at]);
                    heard.front().done.push_back(some[at].id);
                }
                co_await in.delivered(heard);
                told += some.size();
            }
        }
    }
    co_return told;
}

}  // namespace errand
