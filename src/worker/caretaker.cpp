#include "worker/caretaker.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <map>
#include <utility>

namespace errand {

namespace asio = boost::asio;

caretaker::caretaker(detail::app_core& app, std::function<void()> may_adopt)
    : pool_{1},
      shared_{.app = app,
              .queues = queue_choice{{}, false},
              .pool = pool_.tasks(),
              .others_may_adopt = std::move(may_adopt),
              .kind = kind,
              .runs_tasks = false},
      maintenance_{shared_, no_threads_} {
    shared_.falls_due = [this](duration in) { maintenance_.falls_due(in); };
}

caretaker::~caretaker() {
    maintenance_.close();
    pool_.join();
}

awaitable<void> caretaker::start() {
    if (!std::exchange(started_, true)) {
        maintenance_.start_thread();
        pool_.start();
    }
    co_await asio::co_spawn(maintenance_.home().executor(), maintenance_.open(), asio::use_awaitable);
}

void caretaker::looks_after(const std::vector<std::string>& queues,
                            const std::vector<std::string>& handlers) {
    if (shared_.beside.add(queues, handlers)) maintenance_.has_more_to_do();
}

awaitable<void> caretaker::leave() {
    if (!started_) co_return;
    co_await asio::co_spawn(maintenance_.home().executor(), maintenance_.leave(), asio::use_awaitable);
}

}  // namespace errand
