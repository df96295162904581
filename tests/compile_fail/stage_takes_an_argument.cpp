// expect: errand: a stage must be a callable without arguments
#include <errand/errand.hpp>

errand::awaitable<void> use(errand::task_context& self) {
    co_await self.stage("s", [](int) -> errand::awaitable<void> { co_return; });
}
