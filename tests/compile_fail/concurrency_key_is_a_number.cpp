// expect: errand: `concurrency_key` must be a public
#include <errand/errand.hpp>

struct keyed {
    errand::awaitable<void> perform(int);
    static int concurrency_key(int);
};
ERRAND_HANDLER(keyed)
