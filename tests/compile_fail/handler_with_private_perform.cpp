// expect: errand: `perform` must be one public member function
#include <errand/errand.hpp>

class shy {
    errand::awaitable<void> perform(int);
};
ERRAND_HANDLER(shy)
