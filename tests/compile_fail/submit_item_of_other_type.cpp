// expect: errand: an argument does not convert to the parameter of `perform` in its place
#include <errand/errand.hpp>

struct event {
    int number = 0;
};
struct digest {
    errand::awaitable<void> perform(std::vector<event>);
};
ERRAND_DECLARE_HANDLER(digest,
                       .collect = errand::collect_rule{.max_size = 10, .grace = std::chrono::seconds{1}})

void submit(errand::app& app) { static_cast<void>(app.handler<digest>().perform_async("an event")); }
