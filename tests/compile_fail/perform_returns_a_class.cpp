// expect: errand: this type cannot travel as JSON: make it an aggregate
#include <errand/errand.hpp>

class opaque {
public:
    opaque() {}
};
struct makes {
    errand::awaitable<opaque> perform();
};
ERRAND_HANDLER(makes)
