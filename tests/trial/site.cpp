#include "trial/site.hpp"

#include <errand/inspect.hpp>

#include "runtime/app_core.hpp"
#include "support/task_journal.hpp"
#include "trial/at_rest.hpp"
#include "trial/closing.hpp"
#include "trial/judgement.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>
#include <utility>

namespace trial {

using namespace std::chrono_literals;
using errand::test::holds_within;

namespace {

// A lot is met after so many tasks, more or less.
constexpr int fewest = 20, most = 250;

constexpr int could_not_start = 1;

const char* word_for_limits(const terms& how) { return how.limits ? "limits" : "no_limits"; }

const char* shown(step lot) {
    switch (lot) {
    case step::claimed: return "killed_after_claim";
    case step::amid: return "killed_mid_handler";
    case step::handled: return "killed_before_report";
    case step::reported: return "killed_before_reply";
    case step::writing: return "killed_in_a_write";
    case step::none: break;
    }
    return "killed";
}

}  // namespace

int between(int from, int to, dice& random) { return std::uniform_int_distribution<int>{from, to}(random); }

std::int64_t ms_now() {
    return std::chrono::floor<std::chrono::milliseconds>(clock::now().time_since_epoch()).count();
}

namespace {

std::unique_ptr<ground> make_ground(const terms& how) {
    if (how.guarded == terms::guard::cluster) return make_cluster_ground(how);
    if (how.guarded == terms::guard::sentinel) return make_sentinel_ground();
    return how.embedded ? make_sqlite_ground(how) : make_redis_ground(how);
}

}  // namespace

site::site(terms what, unsigned seed) : how{std::move(what)}, random{seed}, ground_{make_ground(how)} {
    happened.shards = how.shards;
    happened.undivided = how.lone;
    const auto wall = std::chrono::system_clock::now().time_since_epoch();
    happened.store_ahead = std::chrono::floor<std::chrono::milliseconds>(wall).count() - ms_now();
    book_ = std::make_unique<fault_test::journal>(file("journal"));
    std::ofstream{book_->path()}.flush();
}

errand::app& site::app() {
    if (app_) return *app_;
    errand::config with;
    with.store = ground_->url();
    with.log_level = "off";
    if (how.guarded == terms::guard::cluster) with.shards = how.shards;
    // Nobody tends as long as it is asked.
    if (how.shards > 1 && how.guarded == terms::guard::none) with.store_timeout = 2s;
    app_ = std::make_unique<errand::app>(with);
    if (!ground_->has_clock()) {
        errand::detail::core_of(*app_).clock = [ahead = store_shift_] {
            const auto now = std::chrono::floor<errand::duration>(std::chrono::system_clock::now());
            return errand::time_point{now + errand::duration{ahead->load()}};
        };
    }
    return *app_;
}

std::string site::keep() const {
    const auto to =
        std::filesystem::temp_directory_path() / ground_->folder().filename().replace_extension("kept");
    std::filesystem::create_directories(to);
    for (const char* name :
         {"journal", "workers.log", "producers.log", "log", "disk/tasks.db", "disk/tasks.db-wal"}) {
        std::error_code ignored;
        std::filesystem::copy_file(file(name), to / std::filesystem::path{name}.filename(),
                                   std::filesystem::copy_options::overwrite_existing, ignored);
    }
    return to.string();
}

void site::note_accepted(const std::string& id) const {
    errand::test::task_journal{book_->path()}.add("accepted", id);
}

// ---- who is there -----------------------------------------------------------------------------------

void site::start() {
    for (std::size_t at = 0; at < how.workers; ++at) {
        workers.push_back(std::make_unique<worker>(ground_->next_way()));
        workers.back()->older = at < how.older;
        start_worker(*workers.back());
    }
    for (std::size_t at = 0; at < how.producers; ++at) {
        producers.push_back(std::make_unique<producer_seat>(ground_->next_way()));
        start_producer(at);
    }
}

void site::give_clock(std::optional<clock_file>& to, std::int64_t off,
                      std::map<std::string, std::string>& variables) {
    to.reset();
    if (ground_->has_clock() && off == 0) return;
    to.emplace(file("clock" + std::to_string(clocks_++)),
               off + (ground_->has_clock() ? 0 : store_shift_->load()));
    variables.merge(to->variables());
}

void site::start_worker(worker& at, bool with_lot) {
    constexpr std::array lots{step::claimed, step::amid, step::handled, step::reported, step::writing};
    with_lot = with_lot && how.lots && lots_;
    at.lot = with_lot ? lots[random() % (lots.size() - (how.embedded ? 0 : 1))] : step::none;
    at.frozen = at.leaving = false;
    std::map<std::string, std::string> variables{{"ERRAND_STORE", at.to.url},
                                                 {"ERRAND_LEASE", std::to_string(lease.count()) + "ms"},
                                                 {"ERRAND_CONCURRENCY", std::to_string(slots_of_worker)},
                                                 {"ERRAND_SHUTDOWN_GRACE", "300ms"},
                                                 {"ERRAND_LOG_LEVEL", "warn"}};
    give_clock(at.clock, at.clock_shift, variables);
    for (const auto& [name, value] : ground_->variables()) variables[name] = value;
    std::vector<std::string> words{"work", book_->path(), word_for_limits(how), at.older ? "older" : "newer"};
    if (with_lot) {
        words.emplace_back(name_of(at.lot));
        words.push_back(std::to_string(between(fewest, most, random)));
    }
    at.one = std::make_unique<program>(how.hand, words, variables, file("workers.log"));
    if (!ground_->has_clock() && at.clock_shift < 0) happened.late_clocks[at.one->pid()] = -at.clock_shift;
}

void site::draw_lots(bool wanted) {
    if (!how.lots || std::exchange(lots_, wanted) == wanted) return;
    for (const auto& one : workers) {
        one->lot = step::none;
        kill_worker(*one);
    }
}

void site::start_producer(std::size_t at) {
    constexpr int numbers_each = 1'000'000;
    auto& seat = *producers[at];
    const auto first = static_cast<int>(at) * 300 * numbers_each + seat.generation++ * numbers_each + 1;
    std::map<std::string, std::string> variables{{"ERRAND_STORE", seat.to.url}, {"ERRAND_LOG_LEVEL", "off"}};
    // Less than a server is away for.
    if (how.shards > 1 && how.guarded == terms::guard::none) variables["ERRAND_STORE_TIMEOUT"] = "4s";
    give_clock(seat.clock, 0, variables);
    for (const auto& [name, value] : ground_->variables()) variables[name] = value;
    const std::vector<std::string> words{"produce",
                                         book_->path(),
                                         std::to_string(random()),
                                         std::to_string(first),
                                         std::to_string(how.per_second),
                                         how.lone ? "not_steady" : "steady",
                                         how.schedules ? "schedules" : "no_schedules",
                                         word_for_limits(how)};
    seat.one = std::make_unique<program>(how.hand, words, variables, file("producers.log"));
}

worker* site::any_worker(dice& by) {
    std::vector<worker*> fit;
    for (const auto& one : workers) {
        if (!one->frozen && !one->leaving && !one->one->ended()) fit.push_back(one.get());
    }
    return fit.empty() ? nullptr : fit[by() % fit.size()];
}

void site::freeze_worker(worker& at, std::chrono::milliseconds length, const char* name) {
    at.frozen = true;
    at.one->signal(SIGSTOP);
    later(length, [this, &at, name, from = ms_now(), pid = at.one->pid()] {
        if (at.one->pid() != pid) return;
        at.frozen = false;
        happened.stops.push_back({pid, from, ms_now()});
        at.one->signal(SIGCONT);
        count(name);
    });
}

void site::dismiss_worker(worker& at) {
    at.leaving = true;
    happened.leavings.push_back({ms_now(), at.one->pid()});
    at.one->signal(SIGTERM);
}

void site::kill_worker(worker& at) {
    happened.deaths.push_back({ms_now(), at.one->pid()});
    at.one->kill();
}

// ---- what happens by itself -------------------------------------------------------------------------

void site::later(std::chrono::milliseconds delay, std::function<void()> what) {
    due_.emplace_back(clock::now() + delay, std::move(what));
}

void site::shift_store_clock(std::int64_t ms) {
    *store_shift_ += ms;
    happened.jumps.push_back({.when = ms_now(), .by = ms});
    storm(2s + std::chrono::milliseconds{ms < 0 ? -ms : 0});
    if (ground_->has_clock()) {
        ground_->set_clock(*store_shift_);
    } else {
        for (const auto& one : workers) one->clock->set(*store_shift_ + one->clock_shift);
        for (const auto& one : producers) one->clock->set(*store_shift_);
    }
    happened.jumps.back().done = ms_now() + 1;
}

void site::storm(std::chrono::milliseconds length) {
    happened.storms.push_back({ms_now(), ms_now() + length.count()});
}

void site::miss(std::size_t shard, std::int64_t from) {
    happened.misses.push_back({shard, from, ms_now() + 2000});
}

void site::go_on_for(std::chrono::milliseconds length) {
    const auto end = clock::now() + length;
    while (clock::now() < end) {
        tend();
        std::this_thread::sleep_for(2ms);
    }
}

bool site::is_calm() const {
    const auto goes_on = [now = ms_now()](const auto& one) { return one.to > now; };
    return due_.empty() && std::ranges::none_of(happened.storms, goes_on) &&
           std::ranges::none_of(happened.misses, goes_on);
}

void site::calm_down() {
    while (!is_calm()) go_on_for(10ms);
}

void site::tend_worker(worker& at) {
    const auto status = at.one->ended();
    if (!status) return;
    if (*status == -SIGKILL) {
        // By its lot, or by kill_worker, which has written it down.
        if (happened.deaths.empty() || happened.deaths.back().pid != at.one->pid())
            happened.deaths.push_back({ms_now(), at.one->pid()});
        const bool by_hand = at.lot == step::reported && !at.to.gates.empty();
        if (at.lot != step::none && !by_hand) count(shown(at.lot));
    } else if (*status == could_not_start) {
        count(
            "start_given_up");  // it found no store within its patience; whoever looks after it starts it again
    } else if (!at.leaving || (*status != 0 && *status != -SIGTERM)) {  // it may not have listened yet
        complaints.push_back("a worker ended by itself, with status " + std::to_string(*status));
    }
    start_worker(at);
}

void site::tend() {
    for (const auto& one : workers) tend_worker(*one);
    for (const auto& one : producers) {
        if (const auto status = one->one->ended()) {
            complaints.push_back("a producer ended by itself, with status " + std::to_string(*status));
            start_producer(static_cast<std::size_t>(&one - producers.data()));
        }
    }
    for (std::size_t at = 0; at < due_.size();) {
        if (due_[at].first > clock::now()) {
            ++at;
            continue;
        }
        const auto what = std::move(due_[at].second);
        due_.erase(due_.begin() + static_cast<std::ptrdiff_t>(at));
        what();
    }
    carry_out_held();
    ground_->tend();
}

void site::carry_out_held() {
    const auto& lines = book_->entries();
    std::vector<fault_test::entry> held;
    for (; seen_ < lines.size(); ++seen_) {
        if (lines[seen_].what == "held") held.push_back(lines[seen_]);
    }
    for (const auto& line : held) {
        for (const auto& one : workers) {
            if (one->one->pid() == line.pid && !one->one->ended()) kill_reported(*one, line.task);
        }
    }
}

// The report goes out, and its answer never comes.
void site::kill_reported(worker& at, const std::string& task) {
    at.to.stall(true);
    std::ofstream{book_->path() + ".go." + std::to_string(at.one->pid())}.put('\n');
    const bool taken = holds_within(1500ms, [&] {
        try {
            const auto info = app().block_on(app().find(task));
            return info && is_end(info->state);
        } catch (const errand::store_error&) {  // its server is away
            return false;
        }
    });
    at.lot = step::none;
    kill_worker(at);
    at.to.stall(false);
    if (taken) count(shown(step::reported));
}

// ---- the end ----------------------------------------------------------------------------------------

namespace {

std::size_t open_tasks(site& at) {
    using enum errand::state;
    std::size_t open = 0;
    for (const auto& queue : at.app().block_on(at.app().inspect().queues())) {
        for (const auto in : {waiting, delayed, ready, working, retry}) open += queue.count(in);
    }
    return open;
}

}  // namespace

// What runs is asked after the rest: a task that leaves its worker in between, as one to be collected does, is seen nowhere.
std::size_t site::unfinished() {
    std::size_t open = 0;
    for (int looks = 0; looks < 5 && open == 0; ++looks) open = open_tasks(*this);
    return open;
}

void site::finish() {
    while (!due_.empty()) {
        for (auto& [when, what] : due_) when = std::min(when, clock::now() + 3s);
        tend();
        std::this_thread::sleep_for(2ms);
    }
    for (const auto& one : producers) one->one->signal(SIGTERM);
    ground_->mend();
    for (const auto& one : workers) {
        if (how.lone) break;  // it manages by itself
        one->one->signal(SIGCONT);
        kill_worker(*one);
        one->clock_shift = 0;
        start_worker(*one, false);
    }
    for (const auto& one : producers) {
        if (!holds_within(how.patience, [&] { return one->one->ended().has_value(); }))
            complaints.emplace_back("a producer did not end");
    }
    reset_limits(*this);
    end_schedules(*this);
    holds_within(how.patience, [&] { return unfinished() == 0; });
    left_over = unfinished();
    if (left_over == 0) let_limits_come_to_rest(*this);
    // What they have heard is written down before they are gone.
    for (const auto& one : workers) dismiss_worker(*one);
    for (const auto& one : workers) {
        if (!holds_within(how.patience, [&] { return one->one->ended().has_value(); }))
            complaints.emplace_back("a worker did not end");
    }
    ground_->rest();
}

}  // namespace trial
