#include "limited_tasks.hpp"

namespace load {

std::size_t keyed_nop::keys = 1;

namespace {

std::string customer(std::size_t number) { return "customer-" + std::to_string(number); }

}  // namespace

errand::awaitable<void> limited_nop::perform(item what) {
    executed(what.id);
    co_return;
}

errand::awaitable<void> keyed_nop::perform(item what) {
    executed(what.id);
    co_return;
}

std::string keyed_nop::concurrency_key(const item& what) {
    return customer(static_cast<std::size_t>(what.id) % keys);
}

errand::awaitable<void> barred::perform(item what) {
    executed(what.id);
    co_return;
}

std::string barred::concurrency_key(const item& what) { return customer(static_cast<std::size_t>(what.id)); }

errand::awaitable<void> rationed::perform(item what) {
    executed(what.id);
    co_return;
}

std::string rationed::rate_key(const item& what) { return customer(static_cast<std::size_t>(what.id)); }

}  // namespace load

ERRAND_DEFINE_HANDLER(load::limited_nop)
ERRAND_DEFINE_HANDLER(load::keyed_nop)
ERRAND_DEFINE_HANDLER(load::barred)
ERRAND_DEFINE_HANDLER(load::rationed)
