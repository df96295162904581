// A client that says exactly what a test wants said, byte by byte, on a real socket.
#pragma once

#include <boost/json/value.hpp>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct ssl_st;

namespace service_test {

struct response {
    int status = 0;                                // 0: the connection ended without one
    std::map<std::string, std::string> headers{};  // names in lower case
    std::string body{};

    boost::json::value json() const;  // REQUIREs that it is one document
    std::string error_code() const;   // of {"error": {"code"}}
    bool closes() const { return headers.contains("connection") && headers.at("connection") == "close"; }
};

// A path with a value in the place of one of its names, as "{id}"; as it is where it has no such name.
inline std::string path_with(std::string path, std::string_view name, const std::string& value) {
    const auto at = path.find(name);
    return at == path.npos ? path : path.replace(at, name.size(), value);
}

class client {
public:
    // "http://127.0.0.1:port", "https://127.0.0.1:port", "unix:/path" or "https://unix:/path", as the service says it. REQUIREs that
    // it is who it says it is to who trusts this file of authorities.
    explicit client(const std::string& address, const std::string& authority = {});
    // Whether it is.
    static bool trusts(const std::string& address, const std::string& authority);
    ~client();
    client(const client&) = delete;
    client& operator=(const client&) = delete;

    void send(std::string_view bytes) const;
    // The next answer; `head`: to a HEAD request, which has no body.
    response receive(bool head = false);
    // Of an answer without an end: what has come up to and with this text.
    std::string receive_until(std::string_view text);
    // The client says no more; the service may.
    void half_close() const;
    // The same by TLS alone, whose connection stays.
    void say_end() const;
    // The last it says, together with its end: who reads the one has the other.
    void send_and_end(std::string_view bytes) const;
    // Where TLS is spoken, what is none of it.
    void send_below(std::string_view bytes) const;
    void close();
    // Whatever comes, it is closed.
    bool ended_anyhow() const;
    // Nothing more comes: the service has closed it.
    bool ended();
    // Something has come within a minute. REQUIREs nothing, for what happens outside of tests.
    bool is_answered() const noexcept;

    // Which of them is answered first.
    static client& first_answered(const std::vector<client*>& all);
    static client& first_answered(client& a, client& b);

    // What a Host header says here.
    const std::string& host() const { return host_; }
    // One request, with Host and Content-Length.
    response ask(std::string_view method, std::string_view path, std::string_view body = {},
                 std::vector<std::string> headers = {});

private:
    bool fill();  // false: at the end

    int socket_ = -1;
    std::shared_ptr<ssl_st> tls_;  // null: plain
    std::string host_;
    std::string read_;
};

}  // namespace service_test
