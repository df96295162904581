// expect: errand: `on_dead` must be a public `static void on_dead.const errand::task_info& info.`, or a public member `errand::awaitable<void> on_dead
#include <errand/errand.hpp>

struct mourns {
    errand::awaitable<void> perform(int);
    void on_dead(const errand::task_info&);
};
ERRAND_HANDLER(mourns)
