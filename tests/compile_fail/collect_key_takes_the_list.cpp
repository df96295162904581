// expect: errand: `collect_key` must be a public `static std::string collect_key\(const Item& item\)`
#include <errand/errand.hpp>

struct digest {
    errand::awaitable<void> perform(std::vector<int>);
    static std::string collect_key(const std::vector<int>&);
};
ERRAND_HANDLER(digest)
