// expect: errand: this type cannot travel as JSON: make it an aggregate
#include <errand/errand.hpp>

class opaque {
public:
    opaque() {}
};
errand::awaitable<void> use(errand::task_context& self) {
    co_await self.stage("s", []() -> errand::awaitable<opaque> { co_return opaque{}; });
}
