#include "fault/site.hpp"

#include "support/task_journal.hpp"

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <cstdio>
#include <fstream>
#include <thread>

namespace fault_test {

using errand::test::holds_within;
using errand::test::program;
using std::chrono::steady_clock;

namespace {

// Not every worker serves every queue.
constexpr std::array<const char*, 4> served{"north:1,south:1", "south:1,east:1", "east:1,north:1",
                                            "north:1,south:1,east:1"};

errand::time_point now() { return std::chrono::floor<errand::duration>(std::chrono::system_clock::now()); }

}  // namespace

site::site(plan what, errand::test::redis_server::options redis, bool ordered)
    : all{std::move(redis), "builder"},
      plan_{std::move(what)},
      ordered_{ordered},
      begin_{now() + 300ms},
      app_{all.settings()},
      workers_(served.size()),
      submitters_(plan_.size()) {
    for (std::size_t place = 0; place < workers_.size(); ++place) start_worker(place);
    for (std::size_t by = 0; by < plan_.size(); ++by) {
        write(plan_[by], all.file("plan" + std::to_string(by)));
        start_submitter(by);
    }
}

void site::start_worker(std::size_t place) {
    workers_[place] = &all.start_worker({{"ERRAND_QUEUES", served[place]}, {"ERRAND_LEASE", "1s"}});
}

void site::start_submitter(std::size_t by) {
    const auto name = std::to_string(by);
    const std::vector<std::string> words{"submit", all.file("plan" + name), all.book.path(),
                                         std::to_string(begin_.time_since_epoch().count()),
                                         ordered_ ? "ordered" : "loose"};
    const variables its{{"ERRAND_STORE", all.url()}, {"ERRAND_LOG_LEVEL", "off"}};
    submitters_[by] = std::make_unique<program>("builder", words, its, all.file("submitter" + name));
}

bool site::all_submitted() {
    return std::ranges::all_of(submitters_, [](const auto& one) { return one->ended().has_value(); });
}

// ---- what can go wrong ------------------------------------------------------------------------------

void site::kill_one(bool submitters_only, dice& random) {
    const auto by = random() % (submitters_only ? submitters_.size() : 4 * submitters_.size());
    if (by < submitters_.size() && !submitters_[by]->ended()) {
        submitters_[by]->kill();
        ++submitters_killed_;
        return start_submitter(by);
    }
    if (submitters_only) return;
    const auto place = random() % workers_.size();
    workers_[place]->kill();
    killed_.insert(workers_[place]->pid());
    interrupted_ += all.book.in_the_middle(workers_[place]->pid()).size();
    start_worker(place);
}

void site::burn(std::chrono::seconds length, dangers what, dice& random) {
    // Each kill comes a little after a burst has begun, if it begins with one.
    const auto since = std::chrono::ceil<errand::duration>(now() - begin_) / burst * burst;
    const auto begin = begin_ + std::max(since, errand::duration{0});
    const auto end = begin + length;
    for (int i = 0; now() < end || !all_submitted(); ++i) {
        if (now() > end + patience) break;
        const std::chrono::microseconds later{5'000 + random() % 40'000};
        std::this_thread::sleep_until(begin + i * what.between_kills + later);
        if (now() > end) continue;
        if (restarts_ < what.redis_restarts &&
            now() > begin + length * (restarts_ + 1) / (what.redis_restarts + 1)) {
            all.server.kill();
            all.server.restart();
            ++restarts_;
        }
        kill_one(what.submitters_only, random);
    }
}

// ---- what has become of it --------------------------------------------------------------------------

errand::awaitable<std::map<std::string, stone>> site::wait_for(std::vector<std::string> ids) {
    std::vector<std::string> known;
    std::vector<stone_handle> handles;
    for (const auto& id : ids) {
        const auto h = co_await app_.find<stone>(id);
        if (!h) continue;
        known.push_back(id);
        handles.push_back(*h);
    }
    std::map<std::string, stone> got;
    const errand::await_options how{.within = patience};
    try {
        const auto stones = co_await errand::all(how, handles);
        for (std::size_t i = 0; i < known.size(); ++i) got[known[i]] = stones[i];
        co_return got;
    } catch (const errand::error& e) {
        std::printf("fault: %s\n", e.what());
    }
    for (std::size_t i = 0; i < known.size(); ++i) {
        const auto info = co_await handles[i].info();
        if (info.state == errand::state::success) got[known[i]] = co_await handles[i];
    }
    co_return got;
}

std::set<std::string> site::refused() {
    std::set<std::string> ids;
    for (const auto& one : all.book.entries()) {
        if (one.what == "cyclic") ids.insert(one.task);
    }
    return ids;
}

void site::submit_freely(const std::set<std::string>& ids) {
    for (const auto& list : plan_) {
        for (const auto& one : list) {
            if (!ids.contains(id_of(one.key))) continue;
            const auto to = app_.handler<lays_stone>().with({.biz_id = one.key, .queue = one.queue});
            const auto h = app_.block_on(to.perform_async(one.failures, one.length));
            CHECK_FALSE(h.duplicate());  // what is refused leaves nothing behind
        }
    }
}

std::size_t site::count(errand::state where) {
    std::size_t count = 0;
    for (const auto& list : plan_) {
        for (const auto& one : list) {
            const auto info = app_.block_on(app_.find(id_of(one.key)));
            count += info && info->state == where ? 1U : 0U;
        }
    }
    return count;
}

std::size_t site::mend(std::chrono::seconds length) {
    std::ofstream{mended_file(all.book.path())};
    const errand::test::task_journal book{all.book.path()};
    std::vector<std::string> broken;
    for (const auto& list : plan_) {
        for (const auto& one : list) {
            if (one.failures < 0) broken.push_back(id_of(one.key));
        }
    }
    const auto begin = steady_clock::now();
    std::size_t refused = 0;
    for (std::size_t i = 0; i < broken.size(); ++i) {
        std::this_thread::sleep_until(begin + length * i / broken.size());
        book.add("revived", broken[i]);
        const auto h = app_.block_on(app_.find<stone>(broken[i]));
        refused += h && app_.block_on(h->revive()) ? 0U : 1U;
    }
    return refused;
}

void site::tell_of(const std::string& id) {
    const auto info = app_.block_on(app_.find(id));
    if (!info) {
        std::printf("fault: %s is not known to the store\n", id.c_str());
        return;
    }
    const std::string where{to_string(info->state)};
    std::printf("fault: %s (%s) is %s in %s, attempt %d, waits for %zu\n", id.c_str(),
                info->biz_id.value_or("?").c_str(), where.c_str(), info->queue.c_str(), info->attempt,
                info->waits_for_count);
}

judgement site::audit() {
    for (const auto& one : submitters_) CHECK(one->ended() == 0);
    accepted_tasks what;
    const auto free = refused();
    for (const auto& list : plan_) {
        for (const auto& one : list) {
            what.tasks.push_back(id_of(one.key));
            if (free.contains(what.tasks.back())) continue;
            for (const auto& parent : one.parents) what.edges.emplace_back(what.tasks.back(), id_of(parent));
        }
    }
    const auto stones = app_.block_on(wait_for(what.tasks));
    int told = 0;
    for (const auto& id : what.tasks) {
        const auto its = stones.find(id);
        if (its != stones.end()) what.results[id] = its->second.fence;
        if (its == stones.end() && ++told <= 10) tell_of(id);
    }
    tally counts{.accepted = what.tasks.size(), .finished = stones.size()};
    all.count_executions(counts, killed_);
    CHECK(all.ended_in_store() == what.tasks.size());
    auto found = judge(what, all.book.entries());
    for (const auto& words : found.words) UNSCOPED_INFO(words);
    return found;
}

void site::print(const std::string& of, const judgement& found) const {
    std::size_t tasks = 0;
    for (const auto& list : plan_) tasks += list.size();
    std::printf(
        "fault: %s: %zu tasks, %zu edges, %zu executions; %zu workers killed in the middle of %zu tasks, %zu "
        "submitters killed, Redis killed %d times; unfinished %zu, too early %zu, again %zu, doubled %zu\n",
        of.c_str(), tasks, found.edges, found.executions, killed_.size(), interrupted_, submitters_killed_,
        restarts_, found.unfinished, found.too_early, found.again, found.doubled);
}

}  // namespace fault_test
