#include "runtime/otlp_exporter.hpp"

#include <errand/awaitable.hpp>

#include "core/otlp_json.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/cancel_after.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace errand {

namespace asio = boost::asio;
using asio::ip::tcp;
using namespace std::chrono_literals;

namespace {

constexpr auto longest_call = 10s;
constexpr auto longest_end = 2s;
constexpr auto longest_retry = 30s;

enum class reception : unsigned char { taken, later, refused };

auto in_time() { return asio::cancel_after(longest_call, asio::as_tuple(asio::use_awaitable)); }

// Of an answer's first line. 429 and what gateways say: it may be well again.
reception judge(std::string_view line) {
    const auto code =
        line.size() >= 12 && line.starts_with("HTTP/1.") ? line.substr(9, 3) : std::string_view{};
    if (code.starts_with('2')) return reception::taken;
    const bool passes = code.empty() || code == "429" || code == "502" || code == "503" || code == "504";
    return passes ? reception::later : reception::refused;
}

}  // namespace

class otlp_exporter::sender {
public:
    sender(otlp_target to, std::shared_ptr<std::atomic<std::uint64_t>> dropped,
           std::function<void(std::string_view)> trouble)
        : to_{std::move(to)}, dropped_{std::move(dropped)}, trouble_{std::move(trouble)} {
        asio::co_spawn(context_, run(), [this](std::exception_ptr) { context_.stop(); });
        thread_ = std::thread{[this] { context_.run(); }};
    }

    ~sender() {
        asio::post(context_, [this] {
            ending_ = true;
            timer_.cancel();
            last_.expires_after(longest_end);
            last_.async_wait([this](const boost::system::error_code& ec) {
                if (!ec) context_.stop();
            });
        });
        thread_.join();
        *dropped_ += kept_.size() + on_way_;
    }

    sender(const sender&) = delete;
    sender& operator=(const sender&) = delete;

    void add(span one) noexcept {
        try {
            bool full = false;
            {
                const std::lock_guard lock{guard_};
                if (kept_.size() >= most_kept) {
                    ++*dropped_;
                    return;
                }
                kept_.push_back(std::move(one));
                full = kept_.size() == most_at_once;
            }
            if (full) asio::post(context_, [this] { timer_.cancel(); });
        } catch (...) {
            ++*dropped_;
        }
    }

private:
    std::vector<span> take() {
        const std::lock_guard lock{guard_};
        const auto n = static_cast<std::ptrdiff_t>(std::min(kept_.size(), most_at_once));
        std::vector<span> some{std::make_move_iterator(kept_.begin()),
                               std::make_move_iterator(kept_.begin() + n)};
        kept_.erase(kept_.begin(), kept_.begin() + n);
        return some;
    }

    awaitable<void> wait(std::chrono::steady_clock::duration length) {
        timer_.expires_after(length);
        co_await timer_.async_wait(asio::as_tuple(asio::use_awaitable));
    }

    awaitable<void> run() {
        for (;;) {
            const auto some = take();
            on_way_ = some.size();
            if (!some.empty()) co_await deliver(otlp_json(some, to_.service, ERRAND_LIBRARY_VERSION));
            if (some.size() == most_at_once) continue;
            if (ending_ && some.empty()) co_return;
            if (!ending_) co_await wait(to_.gathered_for);
        }
    }

    // Until it is taken, or refused for good.
    awaitable<void> deliver(std::string body) {
        for (std::chrono::steady_clock::duration pause = 1s;; pause = std::min(2 * pause, {longest_retry})) {
            std::string why;
            const auto end = co_await post(body, why);
            if (end == reception::taken) {
                if (std::exchange(in_trouble_, false)) trouble_("the collector takes spans again");
            } else if (!std::exchange(in_trouble_, true)) {
                trouble_("spans do not reach the collector at " + to_.host + ":" + to_.port + ": " + why);
            }
            if (end == reception::refused) *dropped_ += on_way_;
            if (end != reception::later) {
                on_way_ = 0;
                co_return;
            }
            co_await wait(ending_ ? std::min<std::chrono::steady_clock::duration>(pause, 200ms) : pause);
        }
    }

    awaitable<reception> post(const std::string& body, std::string& why) {
        tcp::resolver resolver{context_};
        const auto [not_found, places] = co_await resolver.async_resolve(to_.host, to_.port, in_time());
        if (not_found) {
            why = not_found.message();
            co_return reception::later;
        }
        tcp::socket socket{context_};
        const auto [not_there, place] = co_await asio::async_connect(socket, places, in_time());
        if (not_there) {
            why = not_there.message();
            co_return reception::later;
        }
        const auto request = header_of(body.size()) + body;
        const auto [cut, sent] = co_await asio::async_write(socket, asio::buffer(request), in_time());
        if (cut) {
            why = cut.message();
            co_return reception::later;
        }
        std::string answer;
        const auto [silent, n] =
            co_await asio::async_read_until(socket, asio::dynamic_buffer(answer, std::size_t{64} * 1024),
                                            "\r\n", in_time());
        if (silent) {
            why = silent.message();
            co_return reception::later;
        }
        why = answer.substr(0, n - 2);
        co_return judge(why);
    }

    std::string header_of(std::size_t length) const {
        const bool v6 = to_.host.find(':') != std::string::npos;
        std::string text = "POST " + to_.path +
                           " HTTP/1.1\r\nHost: " + (v6 ? "[" + to_.host + "]" : to_.host) + ":" + to_.port +
                           "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(length) +
                           "\r\nConnection: close\r\n";
        for (const auto& [name, value] : to_.headers)
            text.append(name).append(": ").append(value).append("\r\n");
        return text + "\r\n";
    }

    const otlp_target to_;
    const std::shared_ptr<std::atomic<std::uint64_t>> dropped_;
    const std::function<void(std::string_view)> trouble_;
    std::mutex guard_;  // of what is kept
    std::vector<span> kept_;
    asio::io_context context_{1};
    // On its thread only.
    asio::steady_timer timer_{context_};
    asio::steady_timer last_{context_};
    std::size_t on_way_ = 0;
    bool ending_ = false;
    bool in_trouble_ = false;
    std::thread thread_;
};

otlp_exporter::otlp_exporter(otlp_target to, std::shared_ptr<std::atomic<std::uint64_t>> dropped,
                             std::function<void(std::string_view)> trouble)
    : sender_{std::make_unique<sender>(std::move(to), std::move(dropped), std::move(trouble))} {}

otlp_exporter::~otlp_exporter() = default;

void otlp_exporter::ended(span one) noexcept { sender_->add(std::move(one)); }

}  // namespace errand
