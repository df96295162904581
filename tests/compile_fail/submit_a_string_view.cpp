// expect: errand: a std::string_view can be sent but not received
#include <errand/errand.hpp>

struct views {
    errand::awaitable<void> perform(std::string_view text);
};

auto submit(errand::app& app) { return app.handler<views>().perform_async("text"); }
