// expect: errand: `perform` must be one public member function
#include <errand/errand.hpp>

struct undecided {
    errand::awaitable<void> perform(int);
    errand::awaitable<void> perform(std::string);
};
ERRAND_HANDLER(undecided)
