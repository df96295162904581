#include "worker/caretaker.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

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
      thread_{app, loop_thread::for_duties, kind},
      duties_{shared_, thread_.home(), {}, [] { return std::vector<std::string>{}; }},
      lines_{app, thread_.home().executor()} {
    shared_.falls_due = [this](duration in) { duties_.falls_due(in); };
}

caretaker::~caretaker() {
    thread_.close([this] {
        duties_.close();
        lines_.stop();
    });
    pool_.join();
}

awaitable<void> caretaker::start() {
    if (!std::exchange(started_, true)) {
        thread_.start();
        pool_.start();
    }
    co_await asio::co_spawn(thread_.home().executor(), open(), asio::use_awaitable);
}

awaitable<void> caretaker::open() {
    co_await thread_.home().ready();
    duties_.begin();
    asio::co_spawn(thread_.home().executor(), lines_.run(), asio::detached);  // throws nothing
}

void caretaker::looks_after(const std::vector<std::string>& queues,
                            const std::vector<std::string>& handlers) {
    if (shared_.beside.add(queues, handlers)) duties_.has_more_to_do();
}

awaitable<void> caretaker::leave() {
    if (!started_) co_return;
    co_await asio::co_spawn(thread_.home().executor(), duties_.leave(), asio::use_awaitable);
}

}  // namespace errand
