#include "duty.hpp"

#include <stdexcept>

namespace crowd {

errand::awaitable<std::int64_t> duty::perform(std::int64_t number) {
    auto& self = co_await errand::this_task();
    if (today == mood::dies) throw errand::discard{"no route to host"};
    if (today == mood::fails) throw std::runtime_error{"no route to host"};
    if (self.headers().contains("staged")) {
        co_return co_await self.stage("count",
                                      [number]() -> errand::awaitable<std::int64_t> { co_return number; });
    }
    co_return number;
}

}  // namespace crowd

ERRAND_DEFINE_HANDLER(crowd::duty)
