#include "service/console/live.hpp"

#include <errand/proxy.hpp>

#include "runtime/app_core.hpp"
#include "runtime/process_meter.hpp"
#include "service/refusal.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/cancel_after.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace errand::console {

namespace {

constexpr duration between_rounds = std::chrono::seconds{1};
// So often a page hears at least, so that it knows within seconds when nothing comes any more.
constexpr std::size_t rounds_per_beat = 2;

// What is the same but for how long ago something was, is not told anew.
std::string gist_of(const boost::json::object& document) {
    auto text = boost::json::serialize(document);
    const auto* why = document.if_contains("why");
    if (!why || !why->is_string()) return text;
    auto without = document;
    std::string words{why->as_string()};
    std::erase_if(words, [](char c) { return c >= '0' && c <= '9'; });
    without["why"] = words;
    return boost::json::serialize(without);
}

const std::string beat_text = "event: beat\ndata: {}\n\n";
const std::string end_text = "event: end\ndata: {}\n\n";

std::string frame_of(std::string_view event, const boost::json::value& document) {
    std::string text;
    if (!event.empty()) text += "event: " + std::string{event} + '\n';
    return text + "data: " + boost::json::serialize(document) + "\n\n";
}

}  // namespace

// One view that somebody watches.
struct live::topic {
    topic(const boost::asio::any_io_executor& loop, const view& of, std::string of_which, office& there,
          bool hides)
        : what{of}, which{std::move(of_which)}, at{there}, hide_args{hides}, looked{loop} {}

    const view& what;
    std::string which;
    office& at;
    bool hide_args;
    std::string gist;         // of the last frame: without what differs and says nothing
    std::string frame;        // the last one
    std::size_t version = 0;  // of it
    std::size_t rounds = 0;
    std::size_t watchers = 0;
    bool ended = false;  // nobody is told anything any more
    bool over = false;   // the last document was told, or will be
    async_gate looked;
};

// One who watches.
class live::place {
public:
    place(live& of, std::shared_ptr<topic> what) : of_{of}, what_{std::move(what)} {
        ++what_->watchers;
        ++of_.watchers_;
        ++detail::core_of(of_.app_).meter.streams;
    }
    ~place() {
        --what_->watchers;
        --of_.watchers_;
        --detail::core_of(of_.app_).meter.streams;
    }
    place(const place&) = delete;
    place& operator=(const place&) = delete;

    static awaitable<std::string> next(std::shared_ptr<place> self, web::desk& at) {
        auto& topic = *self->what_;
        const auto silent_until = self->told_ + rounds_per_beat;
        bool may = at.still_may();
        while (may && topic.version == self->seen_ && topic.rounds < silent_until && !topic.ended &&
               !topic.over) {
            co_await at.wait(until_looked(self->what_));
            may = at.still_may();
        }
        self->told_ = topic.rounds;
        if (!may || topic.ended || self->over_) co_return std::string{};
        if (topic.version != self->seen_) {
            self->seen_ = topic.version;
            co_return topic.frame;
        }
        self->over_ = topic.over;
        co_return self->over_ ? end_text : beat_text;
    }

private:
    // A look that takes long keeps nobody who may not watch any more.
    static awaitable<void> until_looked(std::shared_ptr<topic> what) {
        const auto loop = co_await boost::asio::this_coro::executor;
        co_await boost::asio::co_spawn(
            loop, what->looked.wait(),
            boost::asio::cancel_after(between_rounds, boost::asio::as_tuple(boost::asio::use_awaitable)));
    }

    live& of_;
    std::shared_ptr<topic> what_;
    std::size_t seen_ = 0;
    std::size_t told_ = 0;
    bool over_ = false;
};

web::answer live::watch(web::call& c, const view& what, std::string which, office& at, bool hide_args) {
    const auto name = std::string{what.name} + ' ' + which;
    auto& kept = topics_[name];
    const bool is_new = !kept;
    if (is_new) kept = std::make_shared<topic>(loop_, what, std::move(which), at, hide_args);
    const auto one = kept;
    const auto mine = std::make_shared<place>(*this, one);
    if (is_new) duties_.start(keep_looking(one));
    web::answer made{.type = "text/event-stream"};
    // The stream is not to be gathered by what stands before the service.
    made.headers.push_back({"X-Accel-Buffering", "no"});
    made.body = ": " + name + "\n\n";
    made.more = [mine, &desk = c.at] { return place::next(mine, desk); };
    return made;
}

// When the next look is due.
awaitable<std::chrono::steady_clock::time_point> live::look_at(topic& one) {
    const auto began = std::chrono::steady_clock::now();
    look_cost cost;
    std::string now;
    std::string gist;
    try {
        ++looks_;
        const auto document = co_await one.what.look({app_, one.at, one.which, one.hide_args, cost});
        now = frame_of("", document);
        gist = gist_of(document);
        one.over = one.what.is_last && one.what.is_last(document);
    } catch (...) {
        now = frame_of("trouble", web::json_of(web::refusal_of(std::current_exception(), false)));
        gist = now;
    }
    if (gist != one.gist) {
        one.gist = std::move(gist);
        one.frame = std::move(now);
        ++one.version;
    }
    co_return began + cost.rest();
}

awaitable<void> live::keep_looking(std::shared_ptr<topic> one) {
    const auto name = std::string{one->what.name} + ' ' + one->which;
    auto next = std::chrono::steady_clock::time_point::min();
    std::size_t hurried = 0;
    while (!duties_.stopping() && one->watchers > 0) {
        if (std::chrono::steady_clock::now() >= next || hurried != hurries_) {
            hurried = hurries_;
            next = co_await look_at(*one);
        }
        ++one->rounds;
        one->looked.open();
        if (one->over) break;
        co_await duties_.pause(between_rounds);
    }
    one->ended = !one->over;
    one->looked.open();
    topics_.erase(name);
}

void live::end() {
    duties_.end();
    for (const auto& [name, one] : topics_) {
        one->ended = true;
        one->looked.open();
    }
}

}  // namespace errand::console
