// expect: write: auto& self = co_await errand::this_task\(\);
// expect: (variable type 'errand::task_context' is an abstract class|to be of abstract type)
// quotes
// first: (variable type 'errand::task_context' is an abstract class|to be of abstract type)
// Compilers quote the line of the first function that makes the class abstract; it says what to write.
#include <errand/errand.hpp>

struct send_mail {
    errand::awaitable<void> perform(int) {
        auto self = co_await errand::this_task();
        self.log().info("sent");
    }
};
ERRAND_HANDLER(send_mail)
