#include "cli/import_run.hpp"

#include <errand/detail/engine.hpp>
#include <errand/error.hpp>
#include <errand/proxy.hpp>

#include "cli/text.hpp"
#include "service/calls.hpp"
#include "service/refusal.hpp"
#include "service/submission.hpp"
#include "service/values.hpp"

#include <algorithm>
#include <future>
#include <thread>

namespace errand::cli {

using namespace std::chrono_literals;

namespace {

constexpr std::uint64_t most_at_once = 1000;
constexpr std::size_t most_bytes_at_once = std::size_t{8} << 20U;
// What a line has besides its arguments.
constexpr std::size_t around_args = std::size_t{64} << 10U;
// A task says when it was submitted: a batch that has waited for so long is stamped anew.
constexpr auto stamp_lasts = 10s;
constexpr auto looks_every = 200ms;
constexpr auto answers_signals_within = 100ms;

// So few that a rate is kept within a quarter of a second, and that there is room for them.
std::uint64_t lines_at_once(const import_order& order) {
    auto most = most_at_once;
    if (order.rate) {
        const auto in_a_quarter =
            std::uint64_t(order.rate->count) * 250 / std::uint64_t(order.rate->per.count());
        most = std::min(most, std::max<std::uint64_t>(in_a_quarter, 1));
    }
    if (order.most_ready) most = std::min(most, std::max<std::uint64_t>(*order.most_ready, 1));
    return most;
}

bool is_blank(const std::string& text) { return text.find_first_not_of(" \t\r") == text.npos; }

}  // namespace

import_run::import_run(session& on, const import_order& order)
    : on_{on},
      core_{detail::core_of(on.app())},
      order_{order},
      file_{order.file, order.csv, on.app().settings().max_payload + around_args},
      lines_at_once_{lines_at_once(order)},
      bar_{static_cast<std::size_t>(file_.size())} {
    if (order.csv) columns_.emplace(file_.header(), order.rules);
    if (order.spread && file_.size() == 0)
        throw usage_error{
            "--spread needs a file whose length is known: write what the pipe brings to one first"};
    begin();
}

void import_run::begin() {
    const auto known = on_.run(find_import(core_, order_.name));
    const bool goes_on = known.stamp != 0;
    if (goes_on) file_.resume(known);
    rejects_.emplace(known.complete ? std::string{} : order_.rejects,
                     goes_on ? std::optional{known.lines} : std::nullopt);
    record_ = known;
    first_line_ = record_.lines;
    if (record_.complete) return;
    spread_from_ = record_.began;
    may_have_left_ = record_.next_at != time_point{};
    if (may_have_left_) {
        record_ = on_.run(take_over_import(core_, order_.name, record_));
        rejects_->drop_later();
        return;
    }
    if (!goes_on) record_ = file_.description();
    record_.next_count = lines_at_once_;
    record_ = on_.run(keep_import(core_, order_.name, known.stamp, record_));
    rejects_->drop_later();
    spread_from_ = record_.began;
    stamped_at_ = clock::now();
}

const import_record& import_run::run() {
    if (record_.complete) return record_;
    auto now = read_batch(record_.next_count);
    for (;;) {
        if (stopped_.asked() || !wait_for_turn(now.tasks.size())) {
            stop();
            return record_;
        }
        renew_stamp();
        std::future<batch> next;
        if (!now.ends) next = std::async(std::launch::async, [this] { return read_batch(lines_at_once_); });
        // Some of it may have left: that stays as it is in the record.
        if (!send(now)) return record_;
        write_down(now);
        if (now.ends) return record_;
        now = next.get();
    }
}

// ---- reading: nothing else of this object is touched, as the batch before is on its way ----

import_run::batch import_run::read_batch(std::uint64_t most) {
    batch all;
    std::size_t bytes = 0;
    for (std::uint64_t n = 0; n < most && bytes < most_bytes_at_once; ++n) {
        const auto from = file_.offset();
        auto one = file_.next();
        if (!one) {
            all.ends = true;
            break;
        }
        bytes += one->text.size();
        if (is_blank(one->text) && one->fault.empty()) continue;
        line_kept kept{.line = one->line};
        try {
            if (!one->fault.empty()) throw bad_data{one->fault};
            all.tasks.push_back(item_of_record(*one, from));
        } catch (const web::refusal& why) {
            kept.reason = why.path().empty() ? why.what() : why.path() + ": " + why.what();
        } catch (const error& why) {
            kept.reason = why.what();
        }
        kept.text = std::move(one->text);
        all.lines.push_back(std::move(kept));
    }
    all.offset = file_.offset();
    all.last_line = file_.lines();
    return all;
}

// Throws what a submission of it would be refused with.
import_item import_run::item_of_record(const file_record& one, std::uint64_t from) {
    const auto task = columns_ ? columns_->task_of(one.fields) : task_of_json(one.text, order_.rules);
    auto draft = web::read_submission(on_.app(), {}, web::members{task, web::submission_fields});
    if (order_.spread && !draft.extra->at && !draft.extra->delay) {
        const auto part = static_cast<double>(from) / static_cast<double>(file_.size());
        draft.at = spread_from_ +
                   duration{static_cast<std::int64_t>(part * static_cast<double>(order_.spread->count()))};
    }
    return prepare_line(std::move(draft), order_.name, one.line);
}

// ---- pacing: each says false when it was interrupted ----

bool import_run::wait_for_turn(std::size_t tasks) { return wait_for_rate(tasks) && wait_for_room(tasks); }

bool import_run::wait_for_rate(std::size_t tasks) {
    if (!order_.rate) return true;
    if (!pause(turn_ - clock::now())) return false;
    const std::chrono::duration<double, std::milli> length{
        static_cast<double>(tasks) * static_cast<double>(order_.rate->per.count()) / order_.rate->count};
    turn_ = std::max(turn_, clock::now()) + std::chrono::duration_cast<clock::duration>(length);
    return true;
}

bool import_run::wait_for_room(std::size_t tasks) {
    if (!order_.most_ready) return true;
    // A batch of an earlier process may be larger than all that there is to be.
    const auto needed = std::min<std::uint64_t>(tasks, *order_.most_ready);
    while (room_ < needed) {
        const auto ready = on_.run(count_ready(core_));
        room_ = *order_.most_ready - std::min(ready, *order_.most_ready);
        if (room_ >= needed) break;
        show("waits, as " + tasks_text(ready) + (ready == 1 ? " is" : " are") + " ready");
        if (!pause(looks_every)) return false;
    }
    room_ -= needed;
    return true;
}

bool import_run::pause(clock::duration length) {
    for (const auto until = clock::now() + length; clock::now() < until && !stopped_.asked();) {
        std::this_thread::sleep_for(std::min<clock::duration>(until - clock::now(), answers_signals_within));
    }
    return !stopped_.asked();
}

// ---- sending ----

void import_run::renew_stamp() {
    if (may_have_left_ || clock::now() - stamped_at_ < stamp_lasts) return;
    record_ = on_.run(keep_import(core_, order_.name, record_.stamp, record_));
    stamped_at_ = clock::now();
}

// False when it was interrupted, while the quota of the namespace let nothing through.
bool import_run::send(batch& all) {
    auto left = std::move(all.tasks);
    while (!left.empty()) {
        const auto got = on_.run(ask_import_quota(core_, static_cast<std::int64_t>(left.size())));
        if (got.admitted == 0) {
            show("waits for the quota of the namespace");
            const std::chrono::microseconds opens_in{got.opens_in};
            if (!pause(std::clamp<clock::duration>(opens_in, 20ms, 1s))) return false;
            continue;
        }
        const auto end = left.begin() + static_cast<std::ptrdiff_t>(got.admitted);
        send_part(all, {std::make_move_iterator(left.begin()), std::make_move_iterator(end)});
        left.erase(left.begin(), end);
    }
    return true;
}

void import_run::send_part(batch& all, std::vector<import_item> part) {
    auto answer = on_.run(send_import(core_, std::move(part), record_.next_at));
    accepted_ += answer.accepted;
    duplicates_ += answer.duplicates;
    sent_.insert(sent_.end(), answer.sent.begin(), answer.sent.end());
    for (auto& [line, why] : answer.refused) {
        const auto at = std::ranges::find(all.lines, line, &line_kept::line);
        if (at != all.lines.end()) at->reason = std::move(why);
    }
}

void import_run::write_down(batch& all) {
    auto next = record_;
    for (const auto& one : all.lines) {
        if (one.reason.empty()) continue;
        rejects_->add(one.line, one.reason, one.text);
        ++next.rejected;
    }
    rejects_->flush();
    next.accepted += std::exchange(accepted_, 0);
    next.duplicates += std::exchange(duplicates_, 0);
    next.offset = all.offset;
    next.lines = all.last_line;
    next.complete = all.ends;
    next.next_count = all.ends ? 0 : lines_at_once_;
    record_ = on_.run(keep_import(core_, order_.name, record_.stamp, std::move(next)));
    stamped_at_ = clock::now();
    auto sent = std::exchange(sent_, {});
    // A call of the process that began this batch may still be under way; of these the store knows for as long as it does by itself.
    if (!std::exchange(may_have_left_, false)) on_.run(forget_import(core_, std::move(sent)));
    const auto seconds = std::chrono::duration<double>{clock::now() - began_ + 1ms}.count();
    const auto rate = static_cast<std::uint64_t>(static_cast<double>(record_.lines - first_line_) / seconds);
    show(std::to_string(record_.lines) + " lines, " + std::to_string(rate) + "/s, " +
         std::to_string(record_.rejected) + " rejected");
}

// Nothing is under way. What may have left before is to be sent again under its stamp.
void import_run::stop() {
    if (may_have_left_) return;
    record_.next_count = 0;
    record_ = on_.run(keep_import(core_, order_.name, record_.stamp, record_));
}

void import_run::show(const std::string& words) {
    bar_.show(static_cast<std::size_t>(record_.offset), words);
}

}  // namespace errand::cli
