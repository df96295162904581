// expect: errand: `rate_key` must be a public
#include <errand/errand.hpp>

struct keyed {
    errand::awaitable<void> perform(int);
    static std::string rate_key(const std::string&);
};
ERRAND_HANDLER(keyed)
