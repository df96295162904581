#include "service/counter.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <catch2/catch_test_macros.hpp>

#include <future>

ERRAND_DEFINE_HANDLER(service_test::parcel)
ERRAND_DEFINE_HANDLER(service_test::bulky)

namespace service_test {

errand::awaitable<boost::json::value> parcel::perform(boost::json::value what) {
    auto& self = co_await errand::this_task();
    while (shut && !self.cancelled()) {
        boost::asio::steady_timer timer{co_await boost::asio::this_coro::executor,
                                        std::chrono::milliseconds{2}};
        co_await timer.async_wait(boost::asio::use_awaitable);
    }
    if (what == "broken") throw std::runtime_error{"it fell down"};
    co_return what;
}

errand::awaitable<boost::json::value> bulky::perform(boost::json::value what) { co_return what; }

counter::counter(errand::service_options how, errand::config settings)
    : errand::test::test_app{std::move(settings)} {
    shut = false;
    if (how.listen == errand::service_options{}.listen) how.listen = {"127.0.0.1:0"};
    const auto listening = std::make_shared<std::promise<std::vector<std::string>>>();
    how.on_listening = [listening](const std::vector<std::string>& all) { listening->set_value(all); };
    const auto given = how.access_log_sink;
    how.access_log_sink = [this, given](std::string_view line) {
        if (given) given(line);
        const std::lock_guard lock{guard_};
        lines_.emplace_back(line);
    };
    service = std::make_unique<errand::service>(app, std::move(how));
    thread_ = std::thread{[this, listening] {
        try {
            app.block_on(service->run());
        } catch (...) {
            failure_ = std::current_exception();
            try {
                listening->set_exception(failure_);
            } catch (const std::future_error&) {
                // It had listened; stop_service() tells what came then.
            }
        }
    }};
    try {
        addresses = listening->get_future().get();
    } catch (...) {
        thread_.join();
        throw;
    }
}

counter::~counter() {
    shut = false;
    if (!thread_.joinable()) return;
    service->stop();
    thread_.join();
}

void counter::stop_service() {
    service->stop();
    thread_.join();
    if (failure_) std::rethrow_exception(failure_);
}

std::string counter::path(std::string_view rest) const {
    return "/v1/" + app.settings().name_space + std::string{rest};
}

std::string counter::submit(std::string_view body, const std::string& authority) {
    client at{address(), authority};
    const auto got = at.ask("POST", path("/tasks"), body);
    INFO(got.body);
    REQUIRE(got.status == 201);
    return std::string{got.json().at("id").as_string()};
}

errand::task_info counter::task(const std::string& id) {
    auto found = run(app.find(id));
    REQUIRE(found);
    return *found;
}

std::size_t counter::tasks_in(errand::state in, const std::string& queue) {
    for (const auto& one : run(app.inspect().queues())) {
        if (one.name == queue) return one.count(in);
    }
    return 0;
}

std::vector<std::string> counter::log_lines() {
    const std::lock_guard lock{guard_};
    return lines_;
}

}  // namespace service_test
