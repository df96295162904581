// expect: errand: ERRAND_HANDLER and its halves stand at global namespace scope
// first: errand: ERRAND_HANDLER and its halves stand at global namespace scope
#include <errand/errand.hpp>

struct shop {
    struct send {
        errand::awaitable<void> perform(int);
    };
    ERRAND_HANDLER(send)
};
