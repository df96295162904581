// What pages watch: each view is looked at once a second, or rarer where that is much work, however many watch it, and they are told
// when it is another.
#pragma once

#include "service/console/duty.hpp"
#include "service/console/view.hpp"
#include "service/route.hpp"

#include <chrono>
#include <map>
#include <memory>
#include <string>

namespace errand::console {

class live {
public:
    live(app& of, const boost::asio::any_io_executor& loop) : app_{of}, loop_{loop}, duties_{loop} {}

    // A stream of events for this view: "data: {…}" when it has changed, "event: beat" else; "event: end" after the last document.
    // `what` stays as it is.
    web::answer watch(web::call& c, const view& what, std::string which, office& at, bool hide_args);
    // Somebody has changed something: all is looked at with the next round.
    void hurry() noexcept { ++hurries_; }
    // How often the store was asked.
    std::size_t looks() const noexcept { return looks_; }
    std::size_t watchers() const noexcept { return watchers_; }

    void end();
    awaitable<void> stop() { return duties_.stop(); }

private:
    struct topic;
    class place;
    awaitable<void> keep_looking(std::shared_ptr<topic> one);
    awaitable<std::chrono::steady_clock::time_point> look_at(topic& one);

    app& app_;
    boost::asio::any_io_executor loop_;
    duties duties_;
    std::map<std::string, std::shared_ptr<topic>> topics_;
    std::size_t looks_ = 0;
    std::size_t hurries_ = 0;
    std::size_t watchers_ = 0;
};

}  // namespace errand::console
