// expect: errand: an argument does not convert to the parameter of `perform` in its place
// expect: supported<(int|std::.*), ?(int|std::.*)>
#include <errand/errand.hpp>

struct adds {
    errand::awaitable<int> perform(int, std::string);
};

auto submit(errand::app& app) { return app.handler<adds>().perform_async(1, 2); }
