#include "worker/heartbeat.hpp"

#include "runtime/handlers.hpp"
#include "runtime/policy_cards.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <unistd.h>

namespace errand {
namespace {

boost::json::object card_of(const worker_shared& shared) {
    const auto& name = shared.app.process_name;
    boost::json::object policies;
    for (const auto* one : handlers::all()) {
        if (one->code && shared.runs_tasks) policies[policy_mark + one->name] = card_of_policy(one->policy);
    }
    const auto now = std::chrono::floor<duration>(std::chrono::system_clock::now());
    return {{"host", name.substr(0, name.find(':'))},
            {"pid", ::getpid()},
            {"version", ERRAND_LIBRARY_VERSION},
            {"queues", boost::json::array{}},
            {"policies", std::move(policies)},
            {"started", now.time_since_epoch().count()},
            {"concurrency", shared.app.settings.concurrency}};
}

}  // namespace

heartbeat::heartbeat(worker_shared& shared, const boost::asio::any_io_executor& executor, store& in,
                     std::function<std::size_t()> running, std::function<std::vector<std::string>()> blocking)
    : role{shared.app, executor, "showing a sign of life"},
      shared_{shared},
      in_{in},
      running_{std::move(running)},
      blocking_{std::move(blocking)},
      card_{card_of(shared)} {
    card_["handlers"] = boost::json::array{};
    card_["answers_to"] = boost::json::array{};
    card_["ear"] = in.name();  // where it is told of tasks that stand aside
}

void heartbeat::name_handlers() {
    auto takes = shared_.takes();
    if (takes == named_) return;
    named_ = std::move(takes);
    boost::json::array names, answers_to;
    for (const auto* one : handlers::all()) {
        if (one->code && !shared_.app.overrides.is_paused(one->name)) names.emplace_back(one->name);
    }
    for (const auto& one : named_) answers_to.emplace_back(one);
    if (!shared_.runs_tasks) names = answers_to;
    card_["handlers"] = std::move(names);
    card_["answers_to"] = std::move(answers_to);  // aliases too
}

awaitable<std::size_t> heartbeat::pass() {
    name_handlers();
    const auto queues = shared_.looks_after();
    boost::json::array names;
    for (const auto& one : queues) names.emplace_back(one);
    card_["queues"] = std::move(names);
    if (!shared_.runs_tasks) card_["concurrency"] = running_() + shared_.beside.tasks.load();
    card_["stopping"] = shared_.stopping ? 1 : 0;
    boost::json::array blocking;
    for (const auto& one : blocking_()) blocking.emplace_back(one);
    card_["blocking"] = std::move(blocking);
    const auto answer = co_await in_.beat(boost::json::serialize(card_), lives_for, queues);
    shared_.alive.store(answer.alive);
    if (answer.looks && shared_.falls_due) shared_.falls_due(duration{0});
    co_return answer.alive;
}

}  // namespace errand
