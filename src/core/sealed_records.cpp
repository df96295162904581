#include "core/sealed_records.hpp"

#include <errand/error.hpp>

#include "core/bundles.hpp"
#include "core/bytes.hpp"
#include "core/schedule_record.hpp"
#include "core/stage_record.hpp"

#include <charconv>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace errand {
namespace {

constexpr char args_part = 'a', result_part = 'r', stage_part = 's', notes_part = 'n', content_part = 'c',
               text_part = 't';

// In the place of a text of the notes: which of the sealed ones it is.
constexpr std::string_view text_mark = "errand.sealed#";

std::string mark_of(std::size_t number) { return std::string{text_mark} + std::to_string(number); }

std::optional<std::size_t> number_in_mark(std::string_view text) noexcept {
    if (!text.starts_with(text_mark)) return std::nullopt;
    text.remove_prefix(text_mark.size());
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

// A schedule may move to the first shard and back, and its runs keep what they are bound to.
task_id place_of_schedule(const task_id& schedule) { return in_first_shard(schedule); }

// The arguments of a run are those of its schedule: who fires it need not be able to read them.
sealed_place place_of_args(const task_id& id, const args_in_body& in) {
    return {.part = args_part, .of = in.schedule ? place_of_schedule(*in.schedule) : id, .name = in.handler};
}

std::optional<args_in_body> args_if_any(std::string_view encoded_body) {
    if (encoded_body.empty()) return std::nullopt;
    try {
        return args_of(encoded_body);
    } catch (const bad_data&) {
        return std::nullopt;
    }
}

// `with` is told of each text that may be sealed.
void each_text(task_notes& notes, const std::function<void(std::string&)>& with) {
    with(notes.progress_text);
    for (auto& error : notes.errors) with(error.message);
    for (auto& line : notes.log) with(line);
    if (!notes.flow) return;
    for (auto& made : notes.flow->runs) with(made.error);
}

std::vector<std::string> read_texts(std::string_view bytes) {
    std::vector<std::string> texts;
    byte_reader in{bytes, "texts of a task"};
    while (!in.at_end()) texts.emplace_back(in.text());
    return texts;
}

// Bytes that are no such record are those of a later version, or were changed: they stay.
template <class Turn>
std::string or_as_it_is(std::string_view encoded, Turn turn) {
    if (encoded.empty()) return {};
    try {
        return turn();
    } catch (const bad_data&) {
        return std::string{encoded};
    }
}

}  // namespace

std::string sealed_records::turn(way to, const sealed_place& place, sealed_form form,
                                 std::string_view text) const {
    if (to == way::in) return keys_->seal(name_space_, place, form, text);
    return keys_->open(name_space_, place, text).value_or(std::string{text});
}

// ---- bodies ----------------------------------------------------------------------------------------

std::string sealed_records::turn_body(way to, const task_id& id, std::string_view encoded) const {
    return or_as_it_is(encoded, [&] {
        const auto in = args_of(encoded);
        // Its argument is errand's own.
        if (in.handler == group_handler) return std::string{encoded};
        return with_args(encoded, in, turn(to, place_of_args(id, in), sealed_form::list, in.args));
    });
}

std::string sealed_records::seal_body(const task_id& id, std::string_view encoded) const {
    return turn_body(way::in, id, encoded);
}

std::string sealed_records::seal_change(const task_id& id, std::string_view encoded, std::string_view opened,
                                        std::string_view sealed) const {
    const auto next = args_if_any(encoded);
    const auto before = args_if_any(opened);
    const auto kept = args_if_any(sealed);
    const bool same = next && before && kept && next->args == before->args &&
                      next->handler == before->handler && next->schedule == before->schedule;
    const auto text = same ? read_sealed(kept->args) : std::nullopt;
    if (text && keys_->is_newest(*text)) return with_args(encoded, *next, kept->args);
    return seal_body(id, encoded);
}

std::string sealed_records::open_body(const task_id& id, std::string_view encoded) const {
    return turn_body(way::out, id, encoded);
}

std::string key_of_body(std::string_view encoded_body) {
    const auto in = args_if_any(encoded_body);
    const auto sealed = in ? read_sealed(in->args) : std::nullopt;
    return sealed ? std::string{sealed->key} : std::string{};
}

std::optional<std::string> why_locked(const sealing* with, const task_body& body, const task_notes& notes) {
    const auto sealed = read_sealed(notes.flow && notes.flow->content ? *notes.flow->content : body.args);
    if (!sealed) return std::nullopt;
    auto why = why_sealed(with, *sealed, "args:");
    if (with && with->can_open(*sealed)) throw bad_data{std::move(why)};
    return why;
}

// ---- notes -----------------------------------------------------------------------------------------

// What others read as JSON, each by itself.
void sealed_records::turn_values(way to, const task_id& id, task_notes& notes,
                                 std::string_view encoded_body) const {
    if (notes.flow && notes.flow->content) {
        auto& content = *notes.flow->content;
        content = turn(to, {.part = content_part, .of = id}, sealed_form::value, content);
    }
    if (!notes.wish.args) return;
    const auto in = args_if_any(encoded_body);
    const auto place =
        in && in->schedule ? place_of_args(id, *in) : sealed_place{.part = args_part, .of = id};
    notes.wish.args = turn(to, place, sealed_form::list, *notes.wish.args);
}

void sealed_records::seal(const task_id& id, task_notes& notes, std::string_view encoded_body) const {
    turn_values(way::in, id, notes, encoded_body);
    if (!notes.sealed.empty()) {
        // Texts of them stand for what this program could not open: what is new goes beside it.
        each_text(notes, [&](std::string& text) {
            if (number_in_mark(text)) return;
            text = keys_->seal(name_space_, {.part = text_part, .of = id}, sealed_form::text, text);
        });
        return;
    }
    std::string texts;
    byte_writer out{texts};
    std::size_t count = 0;
    each_text(notes, [&](std::string& text) {
        if (text.empty()) return;
        if (const auto foreign = read_sealed(text); foreign && !keys_->can_open(*foreign)) return;
        out.text(text);
        text = mark_of(count++);
    });
    notes.sealed = keys_->seal(name_space_, {.part = notes_part, .of = id}, sealed_form::text, texts);
}

void sealed_records::open(const task_id& id, task_notes& notes, std::string_view encoded_body) const {
    turn_values(way::out, id, notes, encoded_body);
    std::vector<std::string> texts;
    if (!notes.sealed.empty()) {
        const auto opened = keys_->open(name_space_, {.part = notes_part, .of = id}, notes.sealed);
        if (opened) {
            texts = read_texts(*opened);
            notes.sealed.clear();
        }
    }
    each_text(notes, [&](std::string& text) {
        if (const auto number = number_in_mark(text); number && *number < texts.size()) {
            text = texts[*number];
        } else {
            text = turn(way::out, {.part = text_part, .of = id}, sealed_form::text, text);
        }
    });
}

void name_what_is_sealed(task_notes& notes) {
    each_text(notes, [&](std::string& text) {
        if ((!notes.sealed.empty() && number_in_mark(text)) || read_sealed(text)) text = "(encrypted)";
    });
}

std::string sealed_records::seal_notes(const task_id& id, std::string_view encoded,
                                       std::string_view encoded_body) const {
    return or_as_it_is(encoded, [&] {
        auto notes = decode_notes(encoded);
        seal(id, notes, encoded_body);
        return encode(notes);
    });
}

std::string sealed_records::open_notes(const task_id& id, std::string_view encoded,
                                       std::string_view encoded_body) const {
    return or_as_it_is(encoded, [&] {
        auto notes = decode_notes(encoded);
        open(id, notes, encoded_body);
        return encode(notes);
    });
}

// ---- ends ------------------------------------------------------------------------------------------

std::string sealed_records::turn_outcome(way to, const task_id& id, std::string_view encoded,
                                         std::string_view encoded_body) const {
    return or_as_it_is(encoded, [&] {
        auto outcome = decode_outcome(encoded);
        // It stands for the results of others, and says nothing itself.
        if (outcome.result != group_result_mark)
            outcome.result = turn(to, {.part = result_part, .of = id}, sealed_form::value, outcome.result);
        if (outcome.notes && to == way::in) seal(id, *outcome.notes, encoded_body);
        if (outcome.notes && to == way::out) open(id, *outcome.notes, encoded_body);
        return encode(outcome);
    });
}

std::string sealed_records::seal_outcome(const task_id& id, std::string_view encoded,
                                         std::string_view encoded_body) const {
    return turn_outcome(way::in, id, encoded, encoded_body);
}

std::string sealed_records::open_outcome(const task_id& id, std::string_view encoded,
                                         std::string_view encoded_body) const {
    return turn_outcome(way::out, id, encoded, encoded_body);
}

std::string sealed_records::seal_end(const task_id& id, std::string_view encoded,
                                     std::string_view sealed_body) const {
    return or_as_it_is(encoded, [&] {
        const auto parts = split_end(encoded);
        const auto outcome = decode_outcome(turn_outcome(way::in, id, parts.outcome, parts.body));
        // Of a task that was submitted before there were keys.
        const bool as_kept = !key_of_body(sealed_body).empty();
        return encode_end(outcome, parts.finished_at,
                          as_kept ? std::string{sealed_body} : seal_body(id, parts.body));
    });
}

// ---- stages ----------------------------------------------------------------------------------------

namespace {
constexpr std::size_t life_of_stages = 8;
constexpr std::size_t length_of_stage = 4;

// A list of one, of no life.
stage_record only_stage(std::string_view encoded) {
    auto stages = decode_stages(std::string(life_of_stages, '\0').append(encoded), 0);
    if (stages.size() != 1) throw bad_data{"the stored stage does not decode: it is not one"};
    return std::move(stages.front());
}
}  // namespace

std::string sealed_records::seal_stage(const task_id& id, std::string_view encoded) const {
    return or_as_it_is(encoded, [&] {
        auto stage = only_stage(encoded);
        const sealed_place place{.part = stage_part, .of = id, .name = stage.name};
        stage.result = turn(way::in, place, sealed_form::value, stage.result);
        return encode(stage);
    });
}

std::string sealed_records::open_stages(const task_id& id, std::string_view encoded) const {
    return or_as_it_is(encoded, [&] {
        byte_reader in{encoded, "list of stages"};
        std::string opened{in.take(life_of_stages)};
        while (!in.at_end()) {
            const auto length = in.take(length_of_stage);
            const auto content = in.take(byte_reader{length, "list of stages"}.fixed(length_of_stage));
            auto stage = only_stage(std::string{length}.append(content));
            const sealed_place place{.part = stage_part, .of = id, .name = stage.name};
            stage.result = turn(way::out, place, sealed_form::value, stage.result);
            opened += encode(stage);
        }
        return opened;
    });
}

// ---- schedules and bundles -------------------------------------------------------------------------

std::string sealed_records::turn_schedule(way to, const task_id& id, std::string_view encoded) const {
    return or_as_it_is(encoded, [&] {
        auto record = decode_schedule(encoded);
        const sealed_place place{.part = args_part, .of = place_of_schedule(id), .name = record.run.handler};
        // Those that a run has set are others; what is the same before stays the same.
        const bool same = record.declared_args == record.run.args;
        record.run.args = turn(to, place, sealed_form::list, record.run.args);
        record.declared_args =
            same ? record.run.args : turn(to, place, sealed_form::list, record.declared_args);
        return encode(record);
    });
}

std::string sealed_records::seal_schedule(const task_id& id, std::string_view encoded) const {
    return turn_schedule(way::in, id, encoded);
}

std::string sealed_records::open_schedule(const task_id& id, std::string_view encoded) const {
    return turn_schedule(way::out, id, encoded);
}

std::string sealed_records::seal_joining(std::string_view encoded) const {
    return or_as_it_is(encoded, [&] {
        auto one = decode_joining(encoded);
        one.carrier_body = seal_body(one.carrier, one.carrier_body);
        return encode(one);
    });
}

}  // namespace errand
