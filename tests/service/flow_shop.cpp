#include "service/flow_shop.hpp"

ERRAND_DEFINE_HANDLER(service_test::film)

namespace service_test {

errand::awaitable<boost::json::value> film::perform(boost::json::object what) {
    if (what.contains("broken")) throw std::runtime_error{"the film is torn"};
    what["seen"] = true;
    co_return what;
}

}  // namespace service_test
