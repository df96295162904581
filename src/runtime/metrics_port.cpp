#include "runtime/metrics_port.hpp"

#include <errand/awaitable.hpp>
#include <errand/error.hpp>

#include "core/metrics_address.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/cancel_after.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <chrono>
#include <string_view>
#include <thread>
#include <utility>

namespace errand {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

constexpr std::size_t longest_request = std::size_t{8} * 1024;
constexpr std::size_t most_connections = 16;
constexpr std::chrono::seconds longest_wait{10};

// Ends an operation that lasts too long with operation_aborted, which is answered and not thrown.
auto patiently() { return asio::cancel_after(longest_wait, asio::as_tuple(asio::use_awaitable)); }

std::string response(std::string_view status, std::string_view type, std::string_view body, bool head) {
    std::string text{"HTTP/1.1 "};
    text.append(status).append("\r\nContent-Type: ").append(type);
    text.append("\r\nContent-Length: ").append(std::to_string(body.size()));
    text.append("\r\nConnection: close\r\n\r\n");
    if (!head) text.append(body);
    return text;
}

// Of a header's line, in whatever case; empty where there is none.
std::string_view header_of(std::string_view request, std::string_view lower_name) {
    while (!request.empty()) {
        const auto end = request.find("\r\n");
        const auto line = request.substr(0, end);
        request.remove_prefix(end == request.npos ? request.size() : end + 2);
        if (line.size() <= lower_name.size() || line[lower_name.size()] != ':') continue;
        bool same = true;
        for (std::size_t at = 0; at < lower_name.size(); ++at)
            same = same && (line[at] | 0x20) == lower_name[at];
        if (same) return line.substr(lower_name.size() + 1);
    }
    return {};
}

}  // namespace

class metrics_port::listener {
public:
    listener(const std::string& address, std::function<std::string(metric_form)> page)
        : page_{std::move(page)} {
        try {
            open(address);
        } catch (const boost::system::system_error& e) {
            throw usage_error{"config.metrics: cannot listen on \"" + address + "\": " + e.code().message()};
        }
        asio::co_spawn(context_, accept(), asio::detached);
        thread_ = std::thread{[this] { context_.run(); }};
    }

    ~listener() {
        context_.stop();
        thread_.join();
    }

    listener(const listener&) = delete;
    listener& operator=(const listener&) = delete;

private:
    void open(const std::string& address) {
        const auto at = parse_metrics_address(address).value_or(metrics_address{});
        // All of the machine's: those of IPv4 arrive there too, where the machine has IPv6.
        tcp::endpoint to{tcp::v6(), at.port};
        if (!at.host.empty()) to = {asio::ip::make_address(at.host), at.port};
        boost::system::error_code no_v6;
        acceptor_.open(to.protocol(), no_v6);
        if (no_v6 && at.host.empty()) {
            to = {tcp::v4(), at.port};
            acceptor_.open(to.protocol());
        } else if (no_v6) {
            throw boost::system::system_error{no_v6};
        }
        acceptor_.set_option(tcp::acceptor::reuse_address{true});
        if (at.host.empty() && to.protocol() == tcp::v6()) acceptor_.set_option(asio::ip::v6_only{false});
        acceptor_.bind(to);
        acceptor_.listen();
    }

    awaitable<void> accept() {
        asio::steady_timer pause{context_};
        for (;;) {
            auto [ec, socket] = co_await acceptor_.async_accept(asio::as_tuple(asio::use_awaitable));
            if (!ec && open_ < most_connections) {
                ++open_;
                asio::co_spawn(context_, serve(std::move(socket)), [this](std::exception_ptr) { --open_; });
            } else if (ec) {
                pause.expires_after(std::chrono::milliseconds{100});
                co_await pause.async_wait(asio::as_tuple(asio::use_awaitable));
            }
        }
    }

    awaitable<void> serve(tcp::socket socket) {
        std::string request;
        const auto [ec, n] =
            co_await asio::async_read_until(socket, asio::dynamic_buffer(request, longest_request),
                                            "\r\n\r\n", patiently());
        if (ec) co_return;
        const auto text = answer(std::string_view{request}.substr(0, n));
        co_await asio::async_write(socket, asio::buffer(text), patiently());
        boost::system::error_code ignored;
        socket.shutdown(tcp::socket::shutdown_both, ignored);
    }

    std::string answer(std::string_view request) const {
        const auto line = request.substr(0, request.find("\r\n"));
        const bool head = line.starts_with("HEAD ");
        if (!head && !line.starts_with("GET "))
            return response("405 Method Not Allowed", "text/plain", "only GET is answered here\n", false);
        auto path = line.substr(head ? 5 : 4);
        path = path.substr(0, path.find_first_of(" ?"));
        if (path != "/metrics")
            return response("404 Not Found", "text/plain", "metrics are at /metrics\n", head);
        const auto form = metric_form_of(header_of(request, "accept"));
        return response("200 OK", content_type_of(form), page_(form), head);
    }

    asio::io_context context_{1};
    tcp::acceptor acceptor_{context_};
    std::function<std::string(metric_form)> page_;
    std::size_t open_ = 0;
    std::thread thread_;
};

metrics_port::metrics_port(const std::string& address, std::function<std::string(metric_form)> page)
    : listener_{std::make_unique<listener>(address, std::move(page))} {}

metrics_port::~metrics_port() = default;

}  // namespace errand
