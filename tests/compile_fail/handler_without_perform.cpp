// expect: errand: this handler has no `perform`
#include <errand/errand.hpp>

struct idle {};
ERRAND_HANDLER(idle)
