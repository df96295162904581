// expect: errand: a stage must return errand::awaitable<Result>
#include <errand/errand.hpp>

errand::awaitable<void> use(errand::task_context& self) {
    co_await self.stage("s", [] { return 7; });
}
