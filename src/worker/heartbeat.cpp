#include "worker/heartbeat.hpp"

#include "runtime/handlers.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <unistd.h>

namespace errand {
namespace {

boost::json::object card_of(const worker_frame& frame) {
    const auto& name = frame.app.process_name;
    boost::json::array queues;
    for (const auto& queue : frame.queues.names()) queues.emplace_back(queue);
    boost::json::array names, answers_to;
    for (const auto* one : handlers::all()) {
        if (one->code) names.emplace_back(one->name);
    }
    for (const auto& one : frame.knows) answers_to.emplace_back(one);
    const auto now = std::chrono::floor<duration>(std::chrono::system_clock::now());
    return {{"host", name.substr(0, name.find(':'))},
            {"pid", ::getpid()},
            {"process", name},
            {"queues", std::move(queues)},
            {"handlers", std::move(names)},
            {"answers_to", std::move(answers_to)},  // aliases too
            {"started", now.time_since_epoch().count()},
            {"concurrency", frame.app.settings.concurrency},
            {"running", 0}};
}

}  // namespace

heartbeat::heartbeat(worker_frame& frame, const boost::asio::any_io_executor& executor, store& in,
                     std::function<std::size_t()> running)
    : role{frame.app, executor, "showing a sign of life"},
      frame_{frame},
      in_{in},
      running_{std::move(running)},
      card_{card_of(frame)} {
    card_["ear"] = in.name();  // where it is told of tasks that stand aside
}

awaitable<std::size_t> heartbeat::pass() {
    card_["running"] = running_();
    card_["stopping"] = frame_.stopping ? 1 : 0;
    const auto answer = co_await in_.beat(boost::json::serialize(card_), lives_for, frame_.queues.names());
    frame_.alive.store(answer.alive);
    if (answer.looks && frame_.falls_due) frame_.falls_due(duration{0});
    co_return answer.alive;
}

}  // namespace errand
