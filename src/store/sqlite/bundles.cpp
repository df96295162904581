#include "store/sqlite/bundles.hpp"

#include "core/bundles.hpp"
#include "core/digits.hpp"
#include "store/store.hpp"

namespace errand::sqlite {
namespace {

constexpr std::size_t items_per_page = 150;

}  // namespace

bool bundles::join(const report& one) {
    auto item = rows_.find(one.id);
    if (!item || item->claim != one.claim) return false;
    const auto by = decode_joining(one.record);
    auto& queue = *item->list->queue;
    auto found = find_open(by);
    auto bundle = found ? std::move(*found) : begin(by, queue);
    raise(bundle, by);

    rows_.change_list(*item, tx_.cache().list(queue, kind_of(state::waiting)));
    sql_.join_bundle.run(tx_.ns(), one.id.view(), item->list->k, tx_.now());
    edges_.keep_waiting(one.id, {waiting_phase::waits, on_failed::bundle, bundle.joined});
    edges_.add(link::needs, one.id, bundle.carrier);
    edges_.add(link::tells, bundle.carrier, one.id);
    ++bundle.joined;
    bundle.bytes += static_cast<std::int64_t>(by.bytes);

    // Those that have left it do not count; they are looked for only where that matters.
    auto items = static_cast<std::size_t>(bundle.joined);
    if (items >= static_cast<std::size_t>(by.max_size)) items = edges_.count(link::tells, bundle.carrier);
    const bool is_ready = bundle.row.where() == state::ready;
    if (is_full(by, items, static_cast<std::size_t>(bundle.bytes))) {
        sql_.close_bundle.run(tx_.ns(), bundle.carrier.view());
        if (!is_ready) make_ready(bundle);
        return true;
    }
    sql_.keep_bundle.run(tx_.ns(), std::string_view{by.key}, bundle.carrier.view(), bundle.begun,
                         bundle.joined, bundle.bytes);
    if (!is_ready) put_off(bundle, due_of_bundle(by, bundle.begun, tx_.upper()));
    return true;
}

std::optional<bundles::open_bundle> bundles::find_open(const joining& by) {
    open_bundle one;
    {
        auto rows = sql_.find_bundle(tx_.ns(), std::string_view{by.key});
        if (!rows.next()) return std::nullopt;
        one.carrier = *task_id::from_bytes(rows.bytes(0));
        one.begun = rows.number(1);
        one.joined = rows.number(2);
        one.bytes = rows.number(3);
    }
    auto row = rows_.find(one.carrier);
    if (!row || !row->notes.empty() || row->list->aside()) return std::nullopt;
    // One that is due takes items until a worker takes it, but none that is more urgent: it has its place among the ready.
    const bool takes_it = row->where() == state::ready && priority_of(by.carrier_body) <= row->priority;
    if (row->where() != state::delayed && !takes_it) return std::nullopt;
    one.row = std::move(*row);
    return one;
}

bundles::open_bundle bundles::begin(const joining& by, queue_row& queue) {
    const auto due = due_of_bundle(by, tx_.upper(), tx_.upper());
    rows_.insert(by.carrier, tx_.cache().list(queue, kind_of(state::delayed)), due, by.carrier_body,
                 priority_of(by.carrier_body), std::nullopt, group_in(queue.name, by.carrier_body));
    return {.carrier = by.carrier, .row = *rows_.find(by.carrier), .begun = tx_.upper()};
}

void bundles::raise(open_bundle& one, const joining& by) {
    const auto priority = priority_of(by.carrier_body);
    if (priority <= one.row.priority) return;
    auto body = rows_.body_of(one.row);
    const auto gated = static_cast<unsigned char>(body[task_body::priority_offset]) & task_body::gated_bit;
    body[task_body::priority_offset] = static_cast<char>(gated | priority);
    rows_.change_body(one.carrier, one.row, body);
    one.row.priority = priority;
}

void bundles::make_ready(open_bundle& one) {
    const auto [to, place] =
        queues_.free_place(*one.row.list->queue, one.row.priority, std::nullopt, one.row.group, one.carrier);
    rows_.change_list(one.row, *to);
    sql_.place_carrier.run(tx_.ns(), one.carrier.view(), to->k, place, one.row.priority);
}

void bundles::put_off(open_bundle& one, std::int64_t due) {
    if (queues_.falls_before(*one.row.list->queue, due)) queues_.came_to_be_first(*one.row.list->queue);
    sql_.place_carrier.run(tx_.ns(), one.carrier.view(), one.row.list->k, due, one.row.priority);
}

bundle_page bundles::page(const task_id& carrier, const std::optional<task_id>& after) {
    sql_.close_bundle.run(tx_.ns(), carrier.view());
    bundle_page got;
    const auto found = edges_.page(link::tells, carrier, items_per_page, after);
    std::size_t bytes = 0;
    for (const auto& id : found) {
        if (bytes > store::most_bytes_per_call) {
            got.more = true;
            return got;
        }
        got.last = id;
        const auto record = edges_.waiting_of(id);
        if (!record || record->rule != on_failed::bundle || !edges_.has(link::needs, id, carrier)) continue;
        const auto row = rows_.find(id);
        if (!row) continue;
        got.items.push_back(
            {.id = id, .place = record->due, .body = rows_.body_of(*row), .notes = row->notes});
        bytes += got.items.back().body.size() + got.items.back().notes.size();
    }
    got.more = found.size() == items_per_page;
    return got;
}

void bundles::settle(const task_id& item, const task_id& carrier, const waiting_row& record,
                     std::string_view outcome) {
    if (record.rule != on_failed::bundle || outcome.empty() || !edges_.drop(link::needs, item, carrier))
        return;
    auto row = rows_.find(item);
    if (!row) return;
    edges_.forget_record(item);
    auto& queue = *row->list->queue;
    if (outcome.front() == collects_again) {
        const auto due = tx_.upper() + number_in(outcome.substr(1, 13));
        if (queues_.falls_before(queue, due)) queues_.came_to_be_first(queue);
        rows_.change_list(*row, tx_.cache().list(queue, kind_of(state::retry)));
        sql_.collect_again.run(tx_.ns(), item.view(), row->list->k, due, outcome.substr(14));
        tx_.cache().count(queue, &queue_totals::failed);
    } else if (outcome.front() == at_once) {
        const auto [to, place] = queues_.free_place(queue, row->priority, std::nullopt, row->group, item);
        rows_.move(item, *row, *to, place);
    } else {
        endings_.bury(item, *row, outcome);
    }
}

}  // namespace errand::sqlite
