// expect: errand: a parameter of `perform` is a non-const reference
#include <errand/errand.hpp>

struct fills {
    errand::awaitable<void> perform(std::string& into);
};
ERRAND_HANDLER(fills)
