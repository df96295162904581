// expect: errand: `biz_id` must be a public `static std::string biz_id
#include <errand/errand.hpp>

struct named {
    errand::awaitable<void> perform(int);
    std::string biz_id(int) const;
};

auto submit(errand::app& app) { return app.handler<named>().perform_async(1); }
