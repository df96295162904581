#include "service/flow_shop.hpp"

ERRAND_DEFINE_HANDLER(service_test::film)

namespace service_test {

errand::awaitable<boost::json::value> film::perform(boost::json::value what) {
    if (what.as_object().contains("broken")) throw std::runtime_error{"the film is torn"};
    what.as_object()["seen"] = true;
    co_return what;
}

}  // namespace service_test
