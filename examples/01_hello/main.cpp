// The whole of errand in one process: a handler, a worker, a submission and its result.
//   01_hello                                         with its tasks in memory
//   ERRAND_STORE=redis://localhost:6379 01_hello     or anywhere else
#include <errand/errand.hpp>

#include <cstdio>
#include <string>

class greet {
public:
    errand::awaitable<std::string> perform(std::string name, int times) {
        auto& self = co_await errand::this_task();
        self.log().info("greeting {}", name);
        std::string all;
        for (int i = 0; i < times; ++i) all += "hello, " + name + "! ";
        co_return all;
    }
};
ERRAND_HANDLER(greet, .max_retry = 3)

errand::awaitable<void> hello(errand::app& app) {
    co_await app.start();
    auto greetings = app.handler<greet>();
    auto h = co_await greetings.perform_async("world", 2);
    std::puts((co_await h).c_str());
    co_await app.stop();
}

int main() try {
    errand::app app;
    app.block_on(hello(app));
} catch (const errand::error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
