// Another server of jobs that answers as it is told to.
#pragma once

#include "support/test_app.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <mutex>
#include <netinet/in.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace cli_test {

struct scripted {
    scripted(std::string said, std::chrono::milliseconds waits = {}) : text{std::move(said)}, after{waits} {}
    std::string text;  // empty: there is no answer
    std::chrono::milliseconds after;
};

// Answers one request after the other, and closes each connection.
class scripted_server {
public:
    // @param answer to the first line of a request, the how manieth one it is
    explicit scripted_server(std::function<scripted(const std::string& line, std::size_t number)> answer)
        : answer_{std::move(answer)} {
        listens_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in at{};
        at.sin_family = AF_INET;
        at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t length = sizeof at;
        REQUIRE(::bind(listens_, reinterpret_cast<const sockaddr*>(&at), length) == 0);
        REQUIRE(::listen(listens_, 16) == 0);
        REQUIRE(::getsockname(listens_, reinterpret_cast<sockaddr*>(&at), &length) == 0);
        port = ntohs(at.sin_port);
        thread_ = std::thread{[this] { serve(); }};
    }
    // These in their order, whatever is asked, and then always `rest`.
    explicit scripted_server(std::vector<scripted> answers, std::string rest = {})
        : scripted_server{
              [all = std::move(answers), rest = std::move(rest)](const std::string&, std::size_t number) {
                  return number < all.size() ? all[number] : scripted{rest};
              }} {}
    ~scripted_server() {
        ::shutdown(listens_, SHUT_RDWR);
        thread_.join();
        ::close(listens_);
    }
    scripted_server(const scripted_server&) = delete;
    scripted_server& operator=(const scripted_server&) = delete;

    // The first lines of what it was asked.
    std::vector<std::string> asked() {
        const std::lock_guard lock{guard_};
        return asked_;
    }
    void was_asked(std::size_t times) {
        errand::test::eventually([&] { return asked().size() >= times; });
    }
    std::string url() const { return "lmstfy://token@127.0.0.1:" + std::to_string(port) + "/n/q"; }

    int port = 0;

private:
    void serve() {
        for (std::size_t number = 0;; ++number) {
            const int one = ::accept(listens_, nullptr, nullptr);
            if (one < 0) return;
            std::string got;
            char part[4096];
            while (got.find("\r\n\r\n") == got.npos) {
                const auto n = ::recv(one, part, sizeof part, 0);
                if (n <= 0) break;
                got.append(part, static_cast<std::size_t>(n));
            }
            const auto line = got.substr(0, got.find(" HTTP/1.1"));
            const auto answer = answer_(line, number);
            {
                const std::lock_guard lock{guard_};
                asked_.push_back(line);
            }
            std::this_thread::sleep_for(answer.after);
            ::send(one, answer.text.data(), answer.text.size(), MSG_NOSIGNAL);
            ::close(one);
        }
    }

    const std::function<scripted(const std::string&, std::size_t)> answer_;
    int listens_ = -1;
    std::mutex guard_;
    std::vector<std::string> asked_;
    std::thread thread_;
};

inline std::string http_answer(const std::string& status, const std::string& body) {
    return "HTTP/1.1 " + status + "\r\nContent-Length: " + std::to_string(body.size()) +
           "\r\nConnection: close\r\n\r\n" + body;
}

inline const auto no_job = http_answer("404 Not Found", R"({"msg":"no job available"})");
inline const auto acknowledged = http_answer("204 No Content", "");

inline std::string ready(int n) {
    return http_answer("200 OK", R"({"namespace":"n","queue":"q","size":)" + std::to_string(n) + "}");
}

inline std::string dead_letters(int n) {
    return http_answer("200 OK", R"({"namespace":"n","queue":"q","deadletter_size":)" + std::to_string(n) +
                                     R"(,"deadletter_head":""})");
}

// As an lmstfy says it: with the time of its publication, which is this program's start.
inline std::string job_id_of_now() {
    constexpr std::string_view digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    static const auto published = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::system_clock::now().time_since_epoch());
    std::string id;
    for (int bits = 45; bits >= 0; bits -= 5)
        id += digits[static_cast<std::size_t>(published.count() >> bits) % digits.size()];
    return id + "EFWDR2WCACJC8QW5";
}

inline std::string another_job_id() {
    auto id = job_id_of_now();
    id.back() = '6';
    return id;
}

inline std::string one_job(const std::string& data = R"("e30=")", const std::string& id = job_id_of_now()) {
    return http_answer("200 OK", R"([{"msg":"new job","namespace":"n","queue":"q","job_id":")" + id +
                                     R"(","data":)" + data +
                                     R"(,"ttl":0,"elapsed_ms":1,"remain_tries":0,"attributes":null}])");
}

inline bool begins_with(const std::vector<std::string>& lines, std::string_view method) {
    return std::ranges::any_of(lines, [&](const auto& line) { return line.starts_with(method); });
}

}  // namespace cli_test
