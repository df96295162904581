#include "service/lmstfy/tenant.hpp"

#include <errand/proxy.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <utility>

namespace errand::lmstfy {

tenant::tenant(app& own, loop& home, std::function<std::shared_ptr<web::exchange>()> work)
    : pool_{"default"},
      of_{&own},
      core_{&detail::core_of(own)},
      home_{&home},
      shared_work_{std::move(work)} {}

tenant::tenant(std::string pool, config settings)
    : pool_{std::move(pool)},
      own_{std::make_unique<app>(std::move(settings))},
      of_{own_.get()},
      core_{&detail::core_of(*of_)},
      home_{&core_->background()} {}

awaitable<std::shared_ptr<web::exchange>> tenant::work() {
    if (!work_) work_ = shared_work_ ? shared_work_() : std::make_shared<web::exchange>(*core_, *home_);
    const auto there = work_;
    co_await there->ready();
    co_return there;
}

namespace {

awaitable<void> end_work(std::shared_ptr<web::exchange> work) { co_await work->stop(); }

}  // namespace

awaitable<void> tenant::stop() {
    if (!own_) co_return;
    if (auto work = std::exchange(work_, nullptr)) {
        co_await boost::asio::co_spawn(home_->executor(), end_work(std::move(work)),
                                       boost::asio::use_awaitable);
    }
    own_.reset();
}

}  // namespace errand::lmstfy
