// expect: errand: this handler is incomplete here: include the header that defines its class
// first: errand: this handler is incomplete here
#include <errand/errand.hpp>

struct sends_mail;
errand::awaitable<void> submit(errand::app& app) { co_await app.handler<sends_mail>().perform_async(1); }
