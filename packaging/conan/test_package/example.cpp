#include <errand/errand.hpp>

struct add {
    errand::awaitable<int> perform(int a, int b) { co_return a + b; }
};
ERRAND_HANDLER(add)

errand::awaitable<int> sum(errand::app& app) {
    co_await app.start();
    auto task = co_await app.handler<add>().perform_async(1, 2);
    const int answer = co_await task;
    co_await app.stop();
    co_return answer;
}

int main() {
    errand::app app;
    return app.block_on(sum(app)) == 3 ? 0 : 1;
}
