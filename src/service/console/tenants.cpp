#include "service/console/tenants.hpp"

#include <errand/inspect.hpp>
#include <errand/proxy.hpp>

#include "client/whole_look.hpp"
#include "runtime/ambient.hpp"
#include "runtime/app_core.hpp"
#include "runtime/each_at_once.hpp"
#include "runtime/loop.hpp"
#include "service/console/survey.hpp"
#include "service/info_json.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/array.hpp>

#include <spdlog/logger.h>

#include <algorithm>
#include <exception>
#include <map>
#include <optional>
#include <thread>
#include <vector>

namespace errand::console {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

constexpr std::size_t most_tenants = 20;
constexpr std::chrono::steady_clock::duration shortest_rest = std::chrono::seconds{10};

// `already`: what was seen of it, or null.
awaitable<json::object> look_at_tenant(detail::app_core& core, int weight,
                                       std::shared_ptr<const whole_look> already) {
    const auto figures = co_await figures_of_handlers(core);
    whole_look here;
    if (!already) here = co_await look_at_whole(core);
    const auto& seen = already ? *already : here;
    const auto quota = co_await quota_beside(seen, core);
    auto row = json_of(quota);
    std::size_t ready = 0;
    std::size_t working = 0;
    std::optional<duration> oldest;
    for (const auto& one : seen.queues) {
        ready += one.count(state::ready);
        working += one.count(state::working);
        if (one.oldest) oldest = std::max(oldest.value_or(duration{0}), *one.oldest);
    }
    row["name"] = core.settings.name_space;
    row["weight"] = weight;
    row["ready"] = ready;
    row["working"] = working;
    row["queues"] = seen.queues.size();
    row["workers"] = seen.workers.size();
    row["oldest_ms"] = json_of(oldest);
    row["runs"] = figures.all.runs;
    row["failures"] = figures.all.failures;
    row["dead"] = figures.all.dead;
    row["trouble"] = nullptr;
    co_return row;
}

}  // namespace

// A connection to each namespace besides the app's own, all on one thread.
class tenants::lines {
public:
    explicit lines(const std::vector<detail::app_core::served_core>& all) : work_{context_.get_executor()} {
        for (const auto& [core, weight] : all) {
            if (core == &core->own()) continue;
            loops_.emplace(core, std::make_unique<errand::loop>(*core, core->next_name(), false, context_));
        }
        thread_ = std::thread{[this] { context_.run(); }};
    }
    ~lines() {
        asio::post(context_, [this] {
            for (auto& [core, one] : loops_) one->close();
        });
        work_.reset();
        thread_.join();
    }
    lines(const lines&) = delete;
    lines& operator=(const lines&) = delete;

    awaitable<json::object> look(detail::app_core& core, int weight) {
        auto& there = *loops_.at(&core);
        auto around = std::make_shared<ambient>(ambient{.app = &core, .home = &there});
        auto on = with_ambient(there.executor(), std::move(around));
        co_return co_await asio::co_spawn(on, look_at_tenant(core, weight, nullptr), asio::use_awaitable);
    }

private:
    asio::io_context context_{1};
    asio::executor_work_guard<asio::io_context::executor_type> work_;
    std::map<detail::app_core*, std::unique_ptr<errand::loop>> loops_;
    std::thread thread_;
};

tenants::tenants(app& of, const asio::any_io_executor& loop,
                 std::chrono::steady_clock::duration connected_for)
    : app_{of}, duties_{loop}, looks_{loop, shortest_rest}, connected_for_{connected_for} {}

tenants::~tenants() = default;

awaitable<json::object> tenants::document(std::shared_ptr<const whole_look> own) {
    const auto seen = co_await looks_.see([this, own] { return look(own); });
    co_return *seen;
}

awaitable<json::object> tenants::look(std::shared_ptr<const whole_look> own) {
    struct turn {
        tenants& of;
        ~turn() {
            of.looking_ = false;
            of.used_at_ = std::chrono::steady_clock::now();
        }
    };
    looking_ = true;
    const turn mine{*this};
    auto served = detail::core_of(app_).served();
    const auto all = served.size();
    if (all > most_tenants) served.resize(most_tenants);
    if (!lines_ && served.size() > 1) {
        lines_ = std::make_unique<lines>(served);
        duties_.start(hang_up_when_unused());
    }
    std::vector<json::object> seen(served.size());
    std::exception_ptr trouble;
    std::size_t troubled = 0;
    // Side by side: one that does not answer keeps none waiting.
    const auto look_at = [&](std::size_t at) -> awaitable<void> {
        const auto [core, weight] = served[at];
        const bool is_own = core == &core->own();
        try {
            if (is_own) {
                seen[at] = co_await look_at_tenant(*core, weight, own);
            } else {
                seen[at] = co_await lines_->look(*core, weight);
            }
            ailing_.erase(core->settings.name_space);
        } catch (const std::exception& why) {
            if (is_own || !trouble) trouble = std::current_exception();
            ++troubled;
            // The text names servers, which are nobody's business who only looks.
            if (ailing_.insert(core->settings.name_space).second)
                core->log->warn("console: namespace {} cannot be looked at: {}", core->settings.name_space,
                                why.what());
            seen[at] = json::object{{"name", core->settings.name_space},
                                    {"weight", weight},
                                    {"trouble", "it cannot be looked at: the log of this service says why"}};
        }
    };
    co_await each_at_once(served.size(), look_at, served.size());
    // Then it is the store that is away.
    if (troubled == served.size()) std::rethrow_exception(trouble);
    look_cost cost;
    for (const auto& one : seen) {
        const auto* queues = one.if_contains("queues");
        if (queues) cost.queues(queues->to_number<std::size_t>());
    }
    looks_.hold_for(std::max(cost.rest(), shortest_rest));
    json::array rows;
    for (auto& one : seen) rows.emplace_back(std::move(one));
    co_return json::object{{"tenants", std::move(rows)}, {"all", all}};
}

awaitable<void> tenants::hang_up_when_unused() {
    const auto pause = std::chrono::ceil<duration>(connected_for_);
    const auto used_lately = [this] {
        return looking_ || std::chrono::steady_clock::now() - used_at_ < connected_for_;
    };
    do {
        co_await duties_.pause(pause);
    } while (!duties_.stopping() && used_lately());
    if (!looking_) lines_.reset();
}

awaitable<void> tenants::stop() {
    co_await duties_.stop();
    lines_.reset();
}

}  // namespace errand::console
