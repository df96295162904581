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
    boost::json::array names;
    for (const auto* one : handlers::all()) {
        if (one->code) names.emplace_back(one->name);
    }
    const auto now = std::chrono::floor<duration>(std::chrono::system_clock::now());
    return {{"host", name.substr(0, name.find(':'))},
            {"pid", ::getpid()},
            {"process", name},
            {"queues", std::move(queues)},
            {"handlers", std::move(names)},
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
      card_{card_of(frame)} {}

awaitable<std::size_t> heartbeat::pass() {
    card_["running"] = running_();
    card_["stopping"] = frame_.stopping ? 1 : 0;
    const auto alive = co_await in_.beat(boost::json::serialize(card_), lives_for);
    frame_.alive.store(alive);
    co_return alive;
}

}  // namespace errand
