// A worker that shows its metrics, and its page.
#pragma once

#include "core/metrics_address.hpp"
#include "support/metric_page.hpp"
#include "support/places.hpp"
#include "worker/handlers.hpp"

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace worker_test {

// Whatever is said there, in full.
inline std::string say(std::uint16_t port, std::string_view request) {
    namespace asio = boost::asio;
    asio::io_context context;
    asio::ip::tcp::socket socket{context};
    socket.connect({asio::ip::make_address("127.0.0.1"), port});
    std::string text;
    boost::system::error_code ec;
    asio::write(socket, asio::buffer(request), ec);
    asio::read(socket, asio::dynamic_buffer(text), ec);
    return text;
}

// A worker that shows its metrics.
struct measured : bench {
    measured() : measured{static_cast<std::uint16_t>(errand::test::free_port())} {}
    explicit measured(std::uint16_t at) : measured{settings_at(at), at} {}
    measured(errand::config settings, std::uint16_t at) : bench{std::move(settings)}, port{at} {}

    static errand::config settings_at(std::uint16_t port) {
        auto settings = errand::test::fresh_settings();
        settings.metrics = "127.0.0.1:" + std::to_string(port);
        return settings;
    }
    errand::test::metric_page page(bool open_metrics = false) const {
        const std::string accept = open_metrics ? "Accept: application/openmetrics-text\r\n" : "";
        const auto text = say(port, "GET /metrics HTTP/1.1\r\nHost: x\r\n" + accept + "\r\n");
        const auto body = text.find("\r\n\r\n");
        REQUIRE(body != text.npos);
        return errand::test::read_metrics(std::string_view{text}.substr(body + 4), open_metrics);
    }

    const std::uint16_t port;
};

inline std::string of_free_form(const std::string& name, const std::string& more = {}) {
    return name + R"({queue="default",handler="worker_test::free_form")" + more + "}";
}

inline std::string finished(const std::string& outcome) {
    return of_free_form("errand_attempts_finished_total", ",outcome=\"" + outcome + "\"");
}

inline std::string submitted(const std::string& result) {
    return of_free_form("errand_tasks_submitted_total", ",result=\"" + result + "\"");
}

}  // namespace worker_test
