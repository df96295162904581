// expect: errand: a pointer cannot travel as JSON
#include <errand/errand.hpp>

struct prints {
    errand::awaitable<void> perform(const char* text);
};
ERRAND_HANDLER(prints)
