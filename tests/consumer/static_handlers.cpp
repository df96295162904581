// A handler that lives in a static library and that this program names by its wire name only.
#include <errand/errand.hpp>

#include <boost/json/string.hpp>

#include <chrono>
#include <cstdio>

namespace {

errand::awaitable<int> greet_once(errand::app& app) {
    co_await app.start();
    auto task = co_await app.perform("consumer.greet", {"world"});
    boost::json::value text = co_await task.result(std::chrono::seconds(20));
    co_await app.stop();
    std::puts(text.as_string().c_str());
    co_return text == "hello, world" ? 0 : 1;
}

}  // namespace

int main() {
    errand::app app;
    return app.block_on(greet_once(app));
}
