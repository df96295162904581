// expect: (variable type 'errand::task_context' is an abstract class|to be of abstract type)
// first: (variable type 'errand::task_context' is an abstract class|to be of abstract type)
#include <errand/errand.hpp>

struct send {
    errand::awaitable<void> perform(int) {
        auto self = co_await errand::this_task();
        self.log().info("sent");
    }
};
ERRAND_HANDLER(send)
