// expect: errand: `perform` must return errand::awaitable<Result>
#include <errand/errand.hpp>

struct blunt {
    int perform(int);
};
ERRAND_HANDLER(blunt)
