// expect: errand: `biz_id` must be a public `static std::string biz_id
#include <errand/errand.hpp>

struct named {
    errand::awaitable<void> perform(int);
    static std::string biz_id(const std::string&, int);
};

auto submit(errand::app& app) { return app.handler<named>().perform_async(1); }
