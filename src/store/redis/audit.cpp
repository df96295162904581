#include "store/redis/audit.hpp"

#include <errand/error.hpp>

#include "core/digits.hpp"
#include "store/redis/tallies.hpp"

#include <algorithm>

namespace errand::redis {
namespace {

// A page is one script, which holds up others as long as it runs.
constexpr std::size_t tasks_per_page = 100;
constexpr std::size_t entries_per_page = 300;
// Pages overlap: what is claimed meanwhile moves the rest of a list, and what is repaired leaves it.
constexpr std::size_t overlap = 100;
// Of ids that seem to be missing from the ready lists: a task may be claimed and given back while those are read.
constexpr int rounds = 3;

template <class Set>
void add_ids(Set& to, std::string_view one_text) {
    for (; one_text.size() >= 16; one_text.remove_prefix(16)) to.emplace(one_text.substr(0, 16));
}

}  // namespace

shard_audit::shard_audit(shard_store& in, bool repair) : in_{in}, repair_{repair} {
    steps_.emplace_back([this](audit_step& out) { return begin(out); });
}

awaitable<audit_step> shard_audit::next() {
    audit_step out;
    if (!steps_.empty()) {
        const auto now = std::move(steps_.front());
        steps_.pop_front();
        co_await now(out);
    }
    out.more = !steps_.empty();
    co_return out;
}

void shard_audit::name_all(script_call& call) const {
    for (const auto& queue : queues_) call.queue(queue);
}

void shard_audit::read_findings(reply_reader& in, audit_step& out) const {
    while (!in.done()) {
        audit_finding one;
        one.kind = in.text();
        one.subject = in.text();
        one.words = in.text();
        one.repaired = repair_;
        out.findings.push_back(std::move(one));
    }
}

awaitable<void> shard_audit::begin(audit_step&) {
    queues_ = (co_await in_.counted("audit", "q:*")).queues;
    boost::redis::request ask_histories;
    ask_histories.push("SMEMBERS", in_.keys_.histories());
    reply histories;
    co_await in_.caller_.command("audit", ask_histories, histories);

    steps_.emplace_back([this](audit_step& out) { return look_at_tasks(out, "0", tasks_per_page); });
    for (const auto& queue : queues_) {
        for (const auto* which : {"urgent", "due", "listed"}) {
            steps_.emplace_back([=, this](audit_step& out) {
                return look_at_list(out, queue, which, 0, nullptr);
            });
        }
        steps_.emplace_back([=, this](audit_step& out) {
            return look_at_list(out, queue, "ready", 0, &ready_);
        });
    }
    reply_reader members{histories};
    for (auto left = members.array(); left > 0; --left) {
        steps_.emplace_back([this, member = std::string{members.text()}](audit_step& out) {
            return look_at_history(out, member, 0, 0);
        });
    }
    steps_.emplace_back([this](audit_step& out) { return look_for_missing(out, 1); });
    steps_.emplace_back([this](audit_step& out) { return look_for_unkept(out); });
    for (const auto* which : {"own", "leases", "notes", "stages", "waiting"}) {
        steps_.emplace_back([=, this](audit_step& out) {
            return look_at_entries(out, script_name::audit_rest, which, "0");
        });
    }
    for (const auto* which : {"slots", "running", "groups", "few", "waits"}) {
        steps_.emplace_back([=, this](audit_step& out) {
            return look_at_entries(out, script_name::audit_gates, which, "0");
        });
    }
    steps_.emplace_back([this](audit_step& out) { return look_at_edges(out, ""); });
    steps_.emplace_back([this](audit_step& out) { return look_at_void(out, "0"); });
}

awaitable<void> shard_audit::look_at_tasks(audit_step& out, std::string cursor, std::size_t count) {
    script_call call{script_name::audit_tasks, in_.keys_};
    name_all(call);
    call.arg(std::string_view{repair_ ? "1" : "0"});
    call.arg(std::string_view{cursor});
    call.arg(count);
    reply answer;
    reply_reader in{answer};
    const auto head = co_await in_.ask(call, answer, in);
    if (head.word == "smaller") {
        const auto fewer = std::max<std::size_t>(count / 10, 1);
        steps_.emplace_front([=, this](audit_step& o) { return look_at_tasks(o, cursor, fewer); });
        co_return;
    }
    const std::string next{in.text()};
    add_ids(must_be_ready_, in.text());
    add_ids(must_be_kept_, in.text());
    read_findings(in, out);
    out.looked_at += count;
    if (next != "0")
        steps_.emplace_front([=, this](audit_step& o) { return look_at_tasks(o, next, tasks_per_page); });
}

awaitable<void> shard_audit::look_at_list(audit_step& out, std::string queue, std::string which,
                                          std::size_t from, ids* seen) {
    script_call call{script_name::audit_lists, in_.keys_};
    call.queue(queue);
    call.arg(std::string_view{repair_ ? "1" : "0"});
    call.arg(std::string_view{which});
    call.arg(from);
    call.arg(entries_per_page);
    reply answer;
    reply_reader in{answer};
    co_await in_.ask(call, answer, in);
    const bool more = in.number() != 0;
    const auto found = in.text();
    if (seen) add_ids(*seen, found);
    read_findings(in, out);
    out.looked_at += found.size() / 16;
    const auto next = from + entries_per_page - overlap;
    if (more) {
        steps_.emplace_front([=, this](audit_step& o) { return look_at_list(o, queue, which, next, seen); });
    }
}

awaitable<void> shard_audit::look_at_history(audit_step& out, std::string member, std::int64_t from,
                                             std::int64_t ids_so_far) {
    if (from == 0) {
        came_ = co_await count_of("s:" + member);
        left_ = co_await count_of("-:" + member);
    }
    boost::redis::request ask_entries;
    ask_entries.push("LRANGE", in_.keys_.history(std::string_view{member}), from,
                     from + static_cast<std::int64_t>(entries_per_page) - 1);
    reply entries;
    co_await in_.caller_.command("audit", ask_entries, entries);
    reply_reader in{entries};
    const auto n = in.array();
    for (auto left = n; left > 0; --left) {
        const auto entry = in.text();
        if (entry.size() < 6) continue;
        add_ids(kept_, entry.substr(0, entry.size() - 6));
        ids_so_far += static_cast<std::int64_t>(entry.size() / 16);
    }
    out.looked_at += n;
    if (n == entries_per_page) {
        const auto next = from + static_cast<std::int64_t>(n);
        steps_.emplace_front([=, this](audit_step& o) {
            return look_at_history(o, member, next, ids_so_far);
        });
        co_return;
    }
    // While tasks end, what was read and what is counted differ for a moment.
    const auto came = co_await count_of("s:" + member);
    const auto left = co_await count_of("-:" + member);
    if (came != came_ || left != left_ || number_in(came) - number_in(left) == ids_so_far) co_return;
    co_await judge_counter(out, "-:" + member, left, number_in(came) - ids_so_far,
                           std::to_string(number_in(came) - number_in(left)) + " successes counted, " +
                               std::to_string(ids_so_far) + " there");
}

awaitable<void> shard_audit::look_for_missing(audit_step& out, int round) {
    ids missing;
    for (const auto& id : must_be_ready_) {
        if (ready_.contains(id)) continue;
        const auto found = co_await in_.find(*task_id::from_bytes(id));
        if (found && found->where == state::ready) missing.insert(id);
    }
    must_be_ready_ = std::move(missing);
    ready_.clear();
    if (must_be_ready_.empty()) co_return;
    if (round < rounds) {
        steps_.emplace_front([=, this](audit_step& o) { return look_for_missing(o, round + 1); });
        for (const auto& queue : queues_) {
            steps_.emplace_front([=, this](audit_step& o) {
                return look_at_list(o, queue, "ready", 0, &ready_);
            });
        }
        co_return;
    }
    for (const auto& id : must_be_ready_) {
        co_await repair(out, {.kind = "lost", .subject = id, .words = "it is in no state", .repaired = false},
                        id, "ready");
    }
}

awaitable<void> shard_audit::look_for_unkept(audit_step& out) {
    for (const auto& id : must_be_kept_) {
        if (kept_.contains(id)) continue;
        const auto found = co_await in_.find(*task_id::from_bytes(id));
        // One that ended after the lists were read was not in this set.
        if (!found || found->where != state::success) continue;
        co_await repair(out,
                        {.kind = "never_deleted",
                         .subject = id,
                         .words = "it has ended, and nothing will delete it",
                         .repaired = false},
                        id, "history");
    }
    must_be_kept_.clear();
    kept_.clear();
}

// False: the damage is not there any more.
awaitable<bool> shard_audit::is_repaired(script_call& call) {
    reply answer;
    reply_reader in{answer};
    const auto head = co_await in_.ask(call, answer, in);
    co_return head.word == "ok";
}

awaitable<void> shard_audit::repair(audit_step& out, audit_finding found, const std::string& id,
                                    std::string_view where) {
    if (repair_) {
        script_call call{script_name::repair, in_.keys_};
        name_all(call);
        call.arg(std::string_view{id});
        call.arg(where);
        if (!co_await is_repaired(call)) co_return;
        found.repaired = true;
    }
    out.findings.push_back(std::move(found));
}

awaitable<void> shard_audit::look_at_entries(audit_step& out, script_name by, std::string which,
                                             std::string cursor) {
    script_call call{by, in_.keys_};
    if (by == script_name::audit_gates) name_all(call);
    call.arg(std::string_view{repair_ ? "1" : "0"});
    call.arg(std::string_view{which});
    call.arg(std::string_view{cursor});
    call.arg(entries_per_page);
    reply answer;
    reply_reader in{answer};
    co_await in_.ask(call, answer, in);
    const std::string next{in.text()};
    read_findings(in, out);
    out.looked_at += entries_per_page;
    if (next != "0")
        steps_.emplace_front([=, this](audit_step& o) { return look_at_entries(o, by, which, next); });
}

awaitable<void> shard_audit::look_at_edges(audit_step& out, std::string after) {
    script_call call{script_name::audit_links, in_.keys_};
    name_all(call);
    call.arg(std::string_view{repair_ ? "1" : "0"});
    call.arg(std::string_view{after});
    call.arg(entries_per_page);
    reply answer;
    reply_reader in{answer};
    co_await in_.ask(call, answer, in);
    out.looked_at += static_cast<std::size_t>(in.number());
    const std::string last{in.text()};
    read_findings(in, out);
    if (!last.empty()) steps_.emplace_front([=, this](audit_step& o) { return look_at_edges(o, last); });
}

awaitable<void> shard_audit::look_at_void(audit_step& out, std::string cursor) {
    if (cursor == "0") {
        for (const auto& queue : queues_) {
            const auto name = escaped(queue);
            void_[name] = 0;
            void_counted_[name] = co_await count_of("v:" + name);
        }
    }
    boost::redis::request ask_page;
    ask_page.push("HSCAN", in_.keys_.stale(), cursor, "COUNT", entries_per_page);
    reply page;
    co_await in_.caller_.command("audit", ask_page, page);
    reply_reader in{page};
    in.array();
    const std::string next{in.text()};
    for (auto left = in.array(); left > 1; left -= 2) {
        const auto field = in.text();
        const auto count = number_in(in.text());
        // A field without an id says that a queue is paused.
        const auto end = field.find('\n');
        if (end != field.npos && field.size() == end + 17) void_[std::string{field.substr(0, end)}] += count;
        ++out.looked_at;
    }
    if (next != "0") {
        steps_.emplace_front([=, this](audit_step& o) { return look_at_void(o, next); });
        co_return;
    }
    for (const auto& [name, there] : void_) {
        const auto counted = co_await count_of("v:" + name);
        if (counted != void_counted_[name] || number_in(counted) == there) continue;
        co_await judge_counter(out, "v:" + name, counted, there,
                               std::to_string(number_in(counted)) + " void entries counted, " +
                                   std::to_string(there) + " there");
    }
}

awaitable<std::string> shard_audit::count_of(std::string field) {
    boost::redis::request ask_count;
    ask_count.push("HGET", in_.keys_.counts(), field);
    reply count;
    co_await in_.caller_.command("audit", ask_count, count);
    co_return std::string{count.first()};
}

awaitable<void> shard_audit::judge_counter(audit_step& out, std::string field, std::string seen,
                                           std::int64_t right, std::string words) {
    audit_finding found{
        .kind = "counter", .subject = field.substr(2), .words = std::move(words), .repaired = false};
    if (repair_) {
        script_call call{script_name::repair_count, in_.keys_};
        call.arg(std::string_view{field});
        call.arg(std::string_view{seen});
        call.arg(right);
        if (!co_await is_repaired(call)) co_return;
        found.repaired = true;
    }
    out.findings.push_back(std::move(found));
}

std::unique_ptr<auditor> shard_store::audit(bool repair) {
    return std::make_unique<shard_audit>(*this, repair);
}

}  // namespace errand::redis
