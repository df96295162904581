// expect: errand: `on_dead` must be a public `static void on_dead
#include <errand/errand.hpp>

struct mourns {
    errand::awaitable<void> perform(int);
    static void on_dead();
};
ERRAND_HANDLER(mourns)
