// expect: errand: `perform` must be one public member function
#include <errand/errand.hpp>

struct generic {
    template <class T>
    errand::awaitable<void> perform(T);
};
ERRAND_HANDLER(generic)
