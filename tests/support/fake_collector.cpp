#include "support/fake_collector.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <thread>

namespace errand::test {

namespace asio = boost::asio;
namespace json = boost::json;

std::string seen_span::text(const std::string& member) const {
    const auto* value = all.if_contains(member);
    return value && value->is_string() ? std::string{value->get_string()} : std::string{};
}

std::string seen_span::attribute(const std::string& name) const {
    for (const auto& one : all.at("attributes").as_array()) {
        if (one.at("key") != json::string_view{name}) continue;
        const auto& value = one.at("value").as_object();
        return std::string{value.begin()->value().as_string()};
    }
    return {};
}

std::vector<std::string> seen_span::links() const {
    std::vector<std::string> ids;
    const auto* links = all.if_contains("links");
    if (!links) return ids;
    for (const auto& one : links->as_array()) ids.emplace_back(one.at("spanId").as_string());
    return ids;
}

bool seen_span::failed() const { return all.contains("status") && all.at("status").at("code") == 2; }

class fake_collector::server {
public:
    server() : thread_{[this] { serve(); }} {}
    ~server() {
        ending_ = true;
        asio::io_context context;
        asio::ip::tcp::socket last{context};
        boost::system::error_code ignored;
        last.connect({asio::ip::make_address("127.0.0.1"), port}, ignored);
        thread_.join();
    }
    server(const server&) = delete;
    server& operator=(const server&) = delete;

private:
    asio::io_context context_;
    asio::ip::tcp::acceptor acceptor_{context_, {asio::ip::make_address("127.0.0.1"), 0}};

public:
    const std::uint16_t port = acceptor_.local_endpoint().port();
    std::atomic<int> status{200};
    std::atomic<std::size_t> requests{0};
    mutable std::mutex guard;  // of what follows
    std::string head;
    std::vector<seen_span> spans;

private:
    void serve() {
        while (!ending_) {
            asio::ip::tcp::socket socket{context_};
            boost::system::error_code ec;
            acceptor_.accept(socket, ec);
            if (ec || ending_) continue;
            try {
                take(socket);
            } catch (const std::exception&) {
                // It has hung up.
            }
        }
    }

    void take(asio::ip::tcp::socket& socket) {
        std::string text;
        const auto length = asio::read_until(socket, asio::dynamic_buffer(text), "\r\n\r\n");
        const auto own_head = text.substr(0, length);
        const std::string name = "Content-Length: ";
        const auto body_length = static_cast<std::size_t>(
            std::strtoull(own_head.c_str() + own_head.find(name) + name.size(), nullptr, 10));
        if (text.size() < length + body_length)
            asio::read(socket, asio::dynamic_buffer(text),
                       asio::transfer_exactly(length + body_length - text.size()));
        const int answered = status;
        if (answered == 200) keep(own_head, json::parse(text.substr(length)));
        ++requests;
        asio::write(socket, asio::buffer("HTTP/1.1 " + std::to_string(answered) +
                                         " said\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}"));
    }

    void keep(const std::string& own_head, const json::value& document) {
        const std::lock_guard lock{guard};
        head = own_head;
        for (const auto& resource : document.at("resourceSpans").as_array()) {
            for (const auto& scope : resource.at("scopeSpans").as_array()) {
                for (const auto& one : scope.at("spans").as_array()) spans.push_back({one.as_object()});
            }
        }
    }

    std::atomic<bool> ending_{false};
    std::thread thread_;
};

fake_collector::fake_collector() : server_{std::make_unique<server>()} {}
fake_collector::~fake_collector() = default;

std::uint16_t fake_collector::port() const noexcept { return server_->port; }

void fake_collector::answer(int status) { server_->status = status; }

std::size_t fake_collector::requests() const { return server_->requests; }

std::string fake_collector::last_head() const {
    const std::lock_guard lock{server_->guard};
    return server_->head;
}

std::vector<seen_span> fake_collector::spans() const {
    const std::lock_guard lock{server_->guard};
    return server_->spans;
}

std::vector<seen_span> fake_collector::named(const std::string& name) const {
    auto all = spans();
    std::erase_if(all, [&](const seen_span& one) { return one.text("name") != name; });
    return all;
}

}  // namespace errand::test
