#include "worker/loop_thread.hpp"

#include "runtime/app_core.hpp"
#include "runtime/thread_mark.hpp"
#include "worker/announce.hpp"

#include <boost/asio/post.hpp>

#include <sys/syscall.h>
#include <unistd.h>

namespace errand {

namespace asio = boost::asio;

loop_thread::loop_thread(detail::app_core& app, duration last_chance, std::string_view kind)
    : app_{app}, last_chance_{last_chance}, home_{app, app.next_name(kind), true} {}

loop_thread::~loop_thread() {
    if (thread_.joinable()) close([] {});
}

loop& loop_thread::add(detail::app_core& app) {
    return others_.emplace_back(app, app.next_name(), true, home_.context());
}

void loop_thread::start() {
    work_.emplace(home_.executor());
    thread_ = std::thread{[this] {
        const thread_mark mark;
        system_id_.store(static_cast<pid_t>(::syscall(SYS_gettid)));
        run();
        run_out();
    }};
}

void loop_thread::run() {
    while (!home_.context().stopped()) {
        try {
            home_.context().run();
        } catch (...) {
            // Only what users spawn with a completion handler that throws comes here.
            announce_failure(app_, "a completion handler threw", std::current_exception());
        }
    }
}

void loop_thread::run_out() {
    home_.context().restart();
    try {
        home_.context().run_for(last_chance_);
    } catch (...) {
        announce_failure(app_, "a completion handler threw", std::current_exception());
    }
}

void loop_thread::disconnect() {
    asio::post(home_.context(), [this] {
        home_.close();
        for (auto& other : others_) other.close();
    });
}

void loop_thread::close(std::function<void()> last) {
    if (!thread_.joinable()) return;
    asio::post(home_.context(), [this, &last] {
        last();
        home_.close();
        for (auto& other : others_) other.close();
        work_.reset();
        home_.context().stop();
    });
    thread_.join();
}

}  // namespace errand
