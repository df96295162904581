// Stands between a client and a server, and breaks what passes when a test says so. It runs in a thread of its own; all
// members may be called from any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

namespace errand::test {

class tcp_gate {
public:
    explicit tcp_gate(int server_port);
    ~tcp_gate();

    int port() const;
    std::string url() const { return "redis://127.0.0.1:" + std::to_string(port()); }

    void cut();                         // closes all connections now
    void lead_to(int server_port);      // cuts; new connections go to another server
    void lead_new_to(int server_port);  // the same, and those that are there stay
    void refuse(bool on);               // cuts, and is not there for new ones
    void stall(bool on);                // bytes of the server wait until it is off again
    void cut_reply(
        std::size_t pass = 0);   // the server's next bytes are lost after `pass` of them, with the connection
    bool reply_was_cut() const;  // since cut_reply
    // All connections share a line that carries so many bytes a second in each direction (0: as many as come), and
    // brings each after half of `round_trip`.
    void slow(std::size_t bytes_per_second, std::chrono::milliseconds round_trip);

    // Since it was made.
    std::size_t connections() const;
    std::size_t bytes_to_server() const;
    std::size_t bytes_to_client() const;

private:
    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace errand::test
