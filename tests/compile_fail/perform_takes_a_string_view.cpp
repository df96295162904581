// expect: errand: a std::string_view can be sent but not received
#include <errand/errand.hpp>

struct views {
    errand::awaitable<void> perform(std::string_view text);
};
ERRAND_HANDLER(views)
