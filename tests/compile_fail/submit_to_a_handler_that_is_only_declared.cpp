// expect: errand: this handler is incomplete here: include the header that defines its class
// first: errand: this handler is incomplete here
#include <errand/errand.hpp>

struct send;
errand::awaitable<void> submit(errand::app& app) { co_await app.handler<send>().perform_async(1); }
