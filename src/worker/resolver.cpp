#include "worker/resolver.hpp"

#include <errand/error.hpp>
#include <errand/policy.hpp>

#include "core/pace.hpp"
#include "core/random.hpp"
#include "runtime/at_most.hpp"
#include "runtime/dependency_completion.hpp"
#include "runtime/parent_links.hpp"
#include "worker/announce.hpp"
#include "worker/bundle_ends.hpp"
#include "worker/schedule_ends.hpp"
#include "worker/silent_shards.hpp"

#include <boost/asio/this_coro.hpp>

#include <algorithm>

namespace errand {

namespace {
constexpr std::size_t news_per_call = 100;
// Who took news and has not delivered them in this time is taken for dead.
constexpr std::chrono::seconds news_lease{10};
// Of one that has to ask a shard that is away.
constexpr duration long_enough{2'000};

// No other task will ever have its id.
bool comes_once(const task_id& id) { return id.bytes[6] >> 4 == 7; }

std::string_view end_in_words(tidings what) {
    switch (what) {
    case tidings::dead: return "dead";
    case tidings::cancelled: return "cancelled";
    case tidings::expired: return "expired";
    default: return "otherwise than by success";
    }
}

bool is_failure(tidings what) {
    return what == tidings::dead || what == tidings::cancelled || what == tidings::expired;
}
}  // namespace

resolver::resolver(worker_shared& shared, const boost::asio::any_io_executor& executor, store& in)
    : role{shared.app, executor, "telling tasks what they waited for"},
      shared_{shared},
      in_{in},
      gathered_{group_outcome()} {}

awaitable<std::size_t> resolver::pass() {
    std::size_t done = 0;
    for (;;) {
        auto got = co_await in_.take_news(news_per_call, news_lease);
        next_.reset();
        if (got.next) next_ = std::max(*got.next - got.now, duration{0});
        if (got.entries.empty()) co_return done;
        const auto of_tasks = std::ranges::stable_partition(got.entries, [](const news& one) {
            return one.what == tidings::ran;
        });
        const auto ended_runs = got.entries.size() - of_tasks.size();
        if (ended_runs > 0) done += co_await tell_ended(std::span{got.entries}.first(ended_runs));
        if (!of_tasks.empty()) done += co_await deliver_all(of_tasks);
    }
}

// What fails comes again, and must not keep tasks from being told.
awaitable<std::size_t> resolver::tell_ended(std::span<const news> entries) {
    const auto executor = co_await boost::asio::this_coro::executor;
    const bool one_by_one = in_.shards() > 1;
    std::exception_ptr failure;
    try {
        auto telling = tell_schedules(shared_, in_, entries);
        if (!one_by_one) co_return co_await std::move(telling);
        co_return co_await at_most(executor, std::move(telling), long_enough);
    } catch (...) {
        failure = std::current_exception();
    }
    announce_failure(shared_.app, "telling schedules that runs have ended", failure);
    std::size_t done = 0;
    for (std::size_t at = 0; one_by_one && at < entries.size(); ++at) {
        try {
            done +=
                co_await at_most(executor, tell_schedules(shared_, in_, entries.subspan(at, 1)), long_enough);
        } catch (const std::exception&) {
            // Of the shard that is away; it was said above.
        }
    }
    co_return done;
}

// What concerns tasks of a shard that is away comes again when it is put off no longer; the rest is told now.
awaitable<std::size_t> resolver::deliver_all(std::span<const news> entries) {
    const auto executor = co_await boost::asio::this_coro::executor;
    const bool one_by_one = in_.shards() > 1;
    std::exception_ptr failure;
    try {
        if (!one_by_one) co_return co_await deliver(entries);
        co_return co_await at_most(executor, deliver(entries), long_enough);
    } catch (...) {
        failure = std::current_exception();
    }
    if (!one_by_one) std::rethrow_exception(failure);
    std::size_t done = 0;
    bool some = false;
    silent_shards silent;
    // Which have just given these.
    for (const auto& one : entries) silent.answered({in_.shard_of(one.about)});
    for (std::size_t at = 0; at < entries.size(); ++at) {
        silent_shards::some concerned{in_.shard_of(entries[at].about)};
        for (const auto& heir : entries[at].heirs) concerned.insert(in_.shard_of(heir));
        if (silent.any_of(concerned)) continue;
        try {
            done += co_await at_most(executor, deliver(entries.subspan(at, 1)), long_enough);
            some = true;
            silent.answered(concerned);
        } catch (...) {
            failure = std::current_exception();
            silent.failed(concerned);
        }
    }
    if (!some) std::rethrow_exception(failure);
    co_return done;
}

awaitable<std::size_t> resolver::deliver(std::span<const news> entries) {
    const auto of_carrier = [](const news& one) { return is_carrier(one.about); };
    if (std::ranges::none_of(entries, of_carrier)) co_return co_await deliver_to_dependents(entries);
    std::size_t told = 0;
    std::vector<news> others;
    for (const auto& one : entries) {
        if (!of_carrier(one)) {
            others.push_back(one);
            continue;
        }
        std::exception_ptr unreadable;
        try {
            told += co_await tell_items(shared_, in_, one);
        } catch (const key_missing&) {
            unreadable = std::current_exception();
        } catch (const bad_data&) {
            unreadable = std::current_exception();
        }
        if (unreadable) {
            // It comes again, to a worker that has the key, and keeps no other from being told.
            announce_failure(shared_.app, "telling items of the end of their run", unreadable);
            continue;
        }
        others.push_back(one);
        // Whoever else depends on it.
        const links_from of{one.about};
        auto pages = co_await in_.links(link::tells, {&of, 1}, false);
        others.back().heirs = std::move(pages.at(0).others);
        others.back().more = pages.at(0).more;
        if (others.back().heirs.size() > store::heirs_per_call) {
            others.back().heirs.resize(store::heirs_per_call);
            others.back().more = true;
        }
    }
    if (!others.empty()) told += co_await deliver_to_dependents(others);
    co_return told;
}

awaitable<std::size_t> resolver::deliver_to_dependents(std::span<const news> entries) {
    for (const auto& one : entries) {
        if (one.what == tidings::overdue) co_await complete(one.about);
    }
    auto struck = co_await tell(entries);
    std::size_t told = 0;
    for (std::size_t at = 0; at < entries.size(); ++at) {
        struck[at].last = !entries[at].more;
        told += entries[at].heirs.size();
    }
    co_await in_.delivered(struck);
    for (const auto& one : entries) {
        if (one.more) told += co_await deliver_rest(one);
    }
    co_return told;
}

// Its submitter died on the way: whether it was submitted nobody knows, so it is.
awaitable<void> resolver::complete(task_id about) {
    const auto found = co_await in_.find(about);
    if (!found) co_return;
    const auto body = decode_body(found->body);
    if (in_.shards() > 1) {
        const auto gone = co_await link_parents(in_, about, comes_once, [](const task_id&) { return false; });
        // Its end will not be told. What was to be submitted with it never was, or it is no longer kept.
        if (gone) co_await in_.cancel(about, body.life, outcome_because_of(*gone, tidings::overdue));
    }
    if (found->where != state::waiting) co_return;
    std::vector<parent_task> parents;
    for (const auto& id : body.after) parents.push_back({id, false});
    bool ended_meanwhile = false;
    try {
        co_await complete_dependencies(in_, about, body.life, parents);
    } catch (const store_error&) {
        ended_meanwhile = true;
    }
    // Throws when the store is away: then this news comes again.
    if (ended_meanwhile) co_await in_.find(about);
}

awaitable<std::size_t> resolver::deliver_rest(const news& one) {
    std::size_t told = 0;
    bool more = true;
    for (auto last = one.heirs.back(); more;) {
        const links_from after{one.about, last};
        const auto kind = one.what == tidings::untied ? link::untied : link::tells;
        const auto pages = co_await in_.links(kind, {&after, 1}, false);
        const auto& heirs = pages.at(0).others;
        more = pages.at(0).more;
        if (!heirs.empty()) last = heirs.back();
        co_await deliver_page(one, heirs, more);
        told += heirs.size();
    }
    co_return told;
}

// In several calls: a script that tells all of a page would hold up others.
awaitable<void> resolver::deliver_page(const news& one, std::span<const task_id> heirs, bool more) {
    do {
        const auto some = heirs.first(std::min(heirs.size(), store::heirs_per_call));
        heirs = heirs.subspan(some.size());
        auto part = one;
        part.heirs.assign(some.begin(), some.end());
        auto struck = co_await tell({&part, 1});
        struck.front().last = !more && heirs.empty();
        co_await in_.delivered(struck);
    } while (!heirs.empty());
}

awaitable<std::vector<delivery>> resolver::tell(std::span<const news> entries) {
    std::vector<resolution> told;
    for (const auto& one : entries) {
        resolution next{.parent = one.about, .what = one.what, .cancelled = {}, .children = one.heirs};
        // These are parents.
        if (one.what == tidings::untied) {
            next.children.clear();
            co_await unlink_parents(in_, one.about, one.heirs);
        }
        if (is_failure(one.what)) next.cancelled = outcome_because_of(one.about, one.what);
        if (one.what == tidings::check) {
            next.children = {one.about};
            next.cancelled = co_await outcome_of_checked(one.about);
        }
        told.push_back(std::move(next));
    }
    const auto again = co_await in_.resolve(told, gathered_);
    std::vector<delivery> struck;
    for (std::size_t at = 0; at < entries.size(); ++at) {
        delivery next{.about = entries[at].about, .what = entries[at].what, .token = entries[at].token};
        for (const auto& child : entries[at].heirs) {
            if (std::ranges::find(again[at], child) == again[at].end()) next.done.push_back(child);
        }
        struck.push_back(std::move(next));
    }
    co_return struck;
}

// The task itself is to be looked at: what it depends on may have failed before it was submitted.
awaitable<std::string> resolver::outcome_of_checked(const task_id& child) {
    const links_from from{child};
    const auto pages = co_await in_.links(link::failed, {&from, 1}, false);
    if (pages.at(0).others.empty()) co_return outcome_because_of(child, tidings::check);
    const auto parent = pages.at(0).others.front();
    auto how = tidings::check;
    if (const auto found = co_await in_.find(parent)) {
        if (found->where == state::dead) how = tidings::dead;
        if (found->where == state::cancelled) how = tidings::cancelled;
        if (found->where == state::expired) how = tidings::expired;
    }
    co_return outcome_because_of(parent, how);
}

std::string resolver::outcome_because_of(const task_id& parent, tidings how) const {
    task_outcome outcome;
    outcome.ended_as = state::cancelled;
    outcome.retention = policy{}.retention;
    task_notes notes;
    auto why = "task " + to_text(parent) + " that it depends on ";
    if (how == tidings::overdue) {
        why += "was never submitted, or is no longer kept";
    } else {
        why.append("ended ").append(end_in_words(how));
    }
    notes.errors.push_back({0, in_.now(), "errand::dependency", std::move(why)});
    outcome.notes = std::move(notes);
    return encode(outcome);
}

duration resolver::pause() { return look_or_due(next_, shared_.alive.load(), random_unit()); }

}  // namespace errand
