// Takes spans by OTLP over HTTP as a collector does, and keeps what it was sent.
#pragma once

#include <boost/json/value.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace errand::test {

struct seen_span {
    boost::json::object all;

    std::string text(const std::string& member) const;  // empty: it is not there
    std::string attribute(const std::string& name) const;
    std::vector<std::string> links() const;  // ids of the spans
    std::string id() const { return text("spanId"); }
    std::string trace() const { return text("traceId"); }
    std::string parent() const { return text("parentSpanId"); }
    bool failed() const;
};

class fake_collector {
public:
    fake_collector();
    ~fake_collector();
    fake_collector(const fake_collector&) = delete;
    fake_collector& operator=(const fake_collector&) = delete;

    std::uint16_t port() const noexcept;
    std::string endpoint() const { return "http://127.0.0.1:" + std::to_string(port()); }
    // From now on requests are answered so; what is not 200 is not kept.
    void answer(int status);
    std::size_t requests() const;
    std::string last_head() const;  // of the last request: its first line and headers
    std::vector<seen_span> spans() const;
    // Those of this name.
    std::vector<seen_span> named(const std::string& name) const;

private:
    class server;
    std::unique_ptr<server> server_;
};

}  // namespace errand::test
