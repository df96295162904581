// expect: errand: this class cannot be built from beans
#include <errand/errand.hpp>

struct configured {
    explicit configured(int retries);
    errand::awaitable<void> perform();
};
ERRAND_HANDLER(configured)
