#include "worker/bundle_run.hpp"

#include <errand/detail/json_read.hpp>
#include <errand/error.hpp>

#include "core/collect_rules.hpp"
#include "core/json_elements.hpp"
#include "core/member_check.hpp"
#include "core/random.hpp"
#include "core/utf8.hpp"
#include "runtime/task_gates.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <stdexcept>

namespace errand {
namespace {

// Its items are to hear of its end also when no worker is there for a while.
constexpr duration carrier_is_kept_for = std::chrono::days{1};
constexpr std::size_t most_why = 4096;
// Of all items that have failed: what a run says of them must not be too large to be kept.
constexpr std::size_t most_whys = 128 * 1024;

std::string carrier_body(const claimed_item& item, const task_id& id, const std::string& key,
                         time_point now) {
    task_body body;
    body.priority = item.body.priority;
    body.life = static_cast<std::uint64_t>(now.time_since_epoch().count()) << 16U |
                (next_serial().value_or(random_bits()) & 0xFFFFU);
    body.queue = item.task.queue;
    body.handler = item.handler.name;
    body.args = boost::json::serialize(boost::json::array{boost::json::string{repaired_utf8(key)}});
    body.retention = std::max(terms_of(item.handler.policy, body, item.set).retention, carrier_is_kept_for);
    if (may_have_gates(id, item.shards))
        body.gates = gates_of_task(item.handler, detail::limit_keys{}, body.args);
    if (item.rules) count_what_runs(*item.rules, body, true);
    return encode(body);
}

void add_item_error(task_notes& notes, attempt_error error) {
    if (notes.errors.size() >= task_notes::max_errors) notes.errors.erase(notes.errors.begin());
    notes.errors.push_back(std::move(error));
}

}  // namespace

bool is_item(const known_handler& handler, const task_id& id) noexcept {
    return handler.policy.collect && !is_carrier(id);
}

joining joining_of(const claimed_item& item, const boost::json::array& args, time_point now) {
    const auto& handler = item.handler;
    const auto key = handler.code->item_key(args);
    check_collect_key(handler.name, key);
    const auto& rule = *handler.policy.collect;
    joining one;
    one.key = bundle_key_of(handler.identity, item.task.queue, key);
    one.carrier = derive_carrier_id(one.key, item.task.id, item.task.claim);
    one.max_size = rule.max_size;
    one.wait = rule.max_wait.value_or(max_duration);
    one.grace = rule.grace.value_or(max_duration);
    one.bytes = std::min(item.body.args.size(), most_item_bytes);
    one.carrier_body = carrier_body(item, one.carrier, key, now);
    return one;
}

awaitable<std::unique_ptr<bundle_run>> bundle_run::read(store& in, task_id carrier) {
    auto found = std::make_unique<bundle_run>();
    bundle_page page{.more = true};
    while (page.more) {
        const auto after = page.last;
        page = co_await in.bundle(carrier, after);
        for (auto& one : page.items) {
            item next{.id = one.id, .place = one.place, .body = decode_body(one.body), .notes = {}};
            if (!one.notes.empty()) next.notes = decode_notes(one.notes);
            found->items_.push_back(std::move(next));
        }
    }
    std::ranges::sort(found->items_, {}, [](const item& one) { return std::pair{one.place, one.id}; });
    co_return found;
}

boost::json::array bundle_run::args(const boost::json::storage_ptr& storage, const sealing* keys) const {
    boost::json::array list(storage);
    list.reserve(items_.size());
    for (const auto& one : items_) {
        need_open(keys, one.body.args, "args of item " + to_text(one.id) + ":");
        auto args = detail::parse_json(one.body.args, "args", storage);
        if (!args.is_array() || args.get_array().size() != 1)
            throw bad_data{"args of item " + to_text(one.id) + ": expected an array of one"};
        list.push_back(std::move(args.get_array().front()));
    }
    boost::json::array all(storage);
    all.push_back(std::move(list));
    return all;
}

void bundle_run::fail(std::size_t index, std::string why) {
    if (index >= items_.size()) {
        throw usage_error{"fail_item(" + std::to_string(index) + "): this run has " +
                          std::to_string(items_.size()) + " items"};
    }
    failed_[index] = repaired_utf8(utf8_prefix(why, most_why));
}

std::vector<item_end> bundle_run::ends(const known_handler& handler, const handler_settings* set,
                                       std::string_view result, time_point now) const {
    std::vector<std::string_view> results;
    if (!result.empty()) {
        results = json_elements(result);
        if (results.size() != items_.size()) {
            throw bad_data{"result: perform gave " + std::to_string(results.size()) + " results for " +
                           std::to_string(items_.size()) + " items"};
        }
    }
    const auto room = most_whys / std::max<std::size_t>(failed_.size(), 1);
    std::vector<item_end> all;
    all.reserve(items_.size());
    for (std::size_t at = 0; at < items_.size(); ++at) {
        item_end one{.item = items_[at].id};
        if (!results.empty()) one.result = results[at];
        if (const auto why = failed_.find(at); why != failed_.end()) {
            const auto failure = std::make_exception_ptr(std::runtime_error{why->second});
            const auto terms = terms_of(handler.policy, items_[at].body, set);
            const auto decided = decide(attempt_end::threw, failure, terms, items_[at].notes, now);
            one.failed = true;
            one.result.clear();
            one.why = utf8_prefix(why->second, room);
            one.dead = decided.kind == verdict::bury;
            one.delay = decided.delay;
        }
        all.push_back(std::move(one));
    }
    return all;
}

task_notes failed_in_bundle(task_notes before, std::string why, time_point now) {
    ++before.attempts;
    before.snoozed = false;
    add_item_error(before, {before.attempts - 1, now, "errand::item_failed", std::move(why)});
    return before;
}

task_notes died_in_bundle(task_notes before, int attempts, const task_notes& of_run) {
    before.attempts += attempts;
    if (!of_run.errors.empty()) add_item_error(before, of_run.errors.back());
    return before;
}

}  // namespace errand
