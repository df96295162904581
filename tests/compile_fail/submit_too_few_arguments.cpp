// expect: errand: the number of arguments is not that of the parameters of `perform`
#include <errand/errand.hpp>

struct adds {
    errand::awaitable<int> perform(int, int);
};

auto submit(errand::app& app) { return app.handler<adds>().perform_async(1); }
