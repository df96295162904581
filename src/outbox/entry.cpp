#include "outbox/entry.hpp"

#include <errand/error.hpp>

#include "core/gates.hpp"

#include <array>
#include <utility>

namespace errand {
namespace {

constexpr std::array<std::pair<on_conflict, std::string_view>, 4> conflict_words{{
    {on_conflict::keep, "keep"},
    {on_conflict::replace, "replace"},
    {on_conflict::reject, "reject"},
    {on_conflict::adopt, "adopt"},
}};

std::string word_of(on_conflict conflict) {
    for (const auto& [one, word] : conflict_words) {
        if (one == conflict) return std::string{word};
    }
    return "keep";
}

sql::bytes bytes_of(std::string_view text) {
    const auto* data = reinterpret_cast<const std::byte*>(text.data());
    return {data, data + text.size()};
}

std::string text_of(const sql::bytes& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

sql::value known_of(const submission_item& item) {
    if (item.after.empty()) return std::monostate{};
    std::string known;
    for (const auto& parent : item.after) known += parent.accepted ? '1' : '0';
    return known;
}

class row_reader {
public:
    // Of "outbox.take".
    enum column : std::size_t { batch, place, age, format, task, due_at, conflict, known, head, args, width };

    explicit row_reader(const std::vector<sql::value>& columns) : columns_{columns} {
        if (columns.size() != width) fail("has another number of columns");
    }

    std::int64_t number(column at) const {
        if (const auto* n = std::get_if<std::int64_t>(&columns_.at(at))) return *n;
        fail("has no number in column " + std::to_string(at));
    }
    std::string text(column at) const {
        if (const auto* s = std::get_if<std::string>(&columns_.at(at))) return *s;
        fail("has no text in column " + std::to_string(at));
    }
    std::string bytes(column at) const {
        if (const auto* b = std::get_if<sql::bytes>(&columns_.at(at))) return text_of(*b);
        fail("has no bytes in column " + std::to_string(at));
    }
    bool is_null(column at) const { return columns_.at(at).index() == 0; }

    [[noreturn]] void fail(const std::string& why) const {
        const auto* name = columns_.empty() ? nullptr : std::get_if<std::string>(columns_.data());
        const auto* at = columns_.size() < 2 ? nullptr : std::get_if<std::int64_t>(&columns_[1]);
        throw bad_data{"errand_outbox, batch " + (name ? *name : "?") + ", place " +
                       (at ? std::to_string(*at) : "?") + ": the row " + why};
    }

private:
    const std::vector<sql::value>& columns_;
};

// Of an encoded body: what stands behind its arguments. In a row it stands at the end of the head.
std::size_t tail_of(std::string_view body_or_head) noexcept {
    const auto gates = gates_of(body_or_head);
    return gates.empty() ? 0 : gates.size() + 1;
}

on_conflict conflict_in(const row_reader& row) {
    const auto word = row.text(row.conflict);
    for (const auto& [one, name] : conflict_words) {
        if (name == word) return one;
    }
    row.fail("has the rule for conflicts \"" + word + "\", which this version of errand does not know");
}

void read_parents(const row_reader& row, const task_body& body, submission_item& into) {
    const auto accepted = row.is_null(row.known) ? std::string{} : row.text(row.known);
    if (accepted.size() != body.after.size())
        row.fail("does not agree with itself about what the task depends on");
    for (std::size_t i = 0; i < accepted.size(); ++i)
        into.after.push_back({body.after[i], accepted[i] == '1'});
    into.rule = body.rule;
}

}  // namespace

void append_row(std::vector<sql::value>& to, const std::string& name_space, const outbox_entry& entry) {
    const auto& item = entry.item;
    const bool declares = !entry.schedule.empty();
    const auto record = declares ? decode_schedule(entry.schedule) : schedule_record{};
    const auto body = declares ? record.run : decode_body(item.body);
    const auto id = declares ? id_of(record) : item.id;
    const std::string_view whole{declares ? entry.schedule : item.body};
    // What stands behind the arguments is told by the front of a body; that of a schedule keeps its arguments then.
    const auto tail_size = declares ? 0 : tail_of(item.body);
    const bool apart = !declares || body.gates.empty();
    const auto args_size = apart ? body.args.size() : 0;
    const auto head_size = whole.size() - args_size - tail_size;
    to.emplace_back(name_space);
    to.emplace_back(entry.batch);
    to.emplace_back(entry.place);
    to.emplace_back(declares ? outbox_schedule_format : outbox_task_format);
    to.emplace_back(to_text(id));
    to.emplace_back(body.handler);
    to.emplace_back(body.queue);
    to.push_back(body.biz_id ? sql::value{*body.biz_id} : sql::value{});
    to.push_back(item.at ? sql::value{std::int64_t{item.at->time_since_epoch().count()}} : sql::value{});
    to.emplace_back(word_of(item.conflict));
    to.push_back(known_of(item));
    to.emplace_back(
        bytes_of(std::string{whole.substr(0, head_size)}.append(whole.substr(whole.size() - tail_size))));
    to.emplace_back(apart ? body.args : std::string{});
}

outbox_entry read_row(const std::vector<sql::value>& columns) {
    const row_reader row{columns};
    const auto found = row.number(row.format);
    if (found != outbox_task_format && found != outbox_schedule_format) {
        row.fail("has format " + std::to_string(found) +
                 ", and this version of errand reads the formats 1 and 2 only: a newer one delivers it");
    }
    outbox_entry got;
    got.batch = row.text(row.batch);
    got.place = row.number(row.place);
    got.age = duration{row.number(row.age)};
    const auto id = parse_task_id(row.text(row.task));
    if (!id) row.fail("has no id of a task");
    auto all = row.bytes(row.head) + row.text(row.args);
    if (found == outbox_schedule_format) {
        const auto record = decode_schedule(all);
        if (id_of(record) != *id) row.fail("does not agree with itself about which schedule it declares");
        got.schedule = std::move(all);
        got.item.id = derive_schedule_id(record.identity, record.key);
        return got;
    }
    auto& item = got.item;
    item.id = *id;
    item.body = row.bytes(row.head);
    const auto tail_size = tail_of(item.body);
    item.body.insert(item.body.size() - tail_size, row.text(row.args));
    item.gated = tail_size > 0;
    const auto body = decode_body(item.body);
    got.life = incarnation_of(item.body);
    item.queue = body.queue;
    item.priority = body.priority;
    if (!row.is_null(row.due_at)) item.at = time_point{duration{row.number(row.due_at)}};
    item.expires_after = body.expires_after;
    item.conflict = conflict_in(row);
    read_parents(row, body, item);
    return got;
}

outbox_entry sealed_entry(outbox_entry entry, const sealed_records& by) {
    entry.item.body = by.seal_body(entry.item.id, entry.item.body);
    entry.schedule = by.seal_schedule(entry.item.id, entry.schedule);
    return entry;
}

void open_entry(outbox_entry& entry, const sealed_records& by) {
    entry.item.body = by.open_body(entry.item.id, entry.item.body);
    entry.schedule = by.open_schedule(entry.item.id, entry.schedule);
}

std::string places_of(std::span<const outbox_entry> entries) {
    std::string text = "[";
    for (const auto& entry : entries) {
        if (text.size() > 1) text += ',';
        text.append("[\"").append(entry.batch).append("\",").append(std::to_string(entry.place)) += ']';
    }
    return text += ']';
}

std::vector<delivered_task> delivered_tasks(std::span<const outbox_entry> entries) {
    std::vector<delivered_task> tasks;
    tasks.reserve(entries.size());
    for (const auto& entry : entries) {
        if (entry.life != 0) tasks.push_back({entry.item.id, entry.life});
    }
    return tasks;
}

}  // namespace errand
