#include <errand/errand.hpp>

#include <string>

namespace consumer {

class greet {
public:
    errand::awaitable<std::string> perform(std::string name) { co_return "hello, " + name; }
};

}  // namespace consumer

ERRAND_HANDLER(consumer::greet, .name = "consumer.greet")
