#include "store/sqlite/engine_client.hpp"

#include <errand/error.hpp>

#include <random>

namespace errand::sqlite {
namespace {

std::string name_or_random(std::string given) {
    if (!given.empty()) return given;
    std::random_device source;
    return "client-" + std::to_string(std::uint64_t{source()} << 32 | source());
}

}  // namespace

engine_client::engine_client(boost::asio::io_context& on, const store_settings& settings,
                             std::shared_ptr<engine> at)
    : engine_{std::move(at)},
      caller_{on, name_or_random(settings.name), settings.name_space},
      patience_{settings.patience},
      observer_{settings.observer} {
    *caller_.trouble = settings.trouble;
    engine_->attach(caller_);
}

void engine_client::throw_closed(std::string_view call) {
    throw store_error{std::string{call} + ": the store was closed"};
}

void engine_client::close() {
    *caller_.listener = nullptr;
    *caller_.trouble = nullptr;
    if (caller_.closed) return;
    for (const auto& one : engine_->detach(caller_)) {
        one->answer(std::make_exception_ptr(store_error{std::string{one->name} + ": the store was closed"}));
    }
}

time_point engine_client::now() const { return time_point{duration{engine_->micros() / 1000}}; }

}  // namespace errand::sqlite
