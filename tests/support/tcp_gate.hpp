// Stands between a client and a server, and breaks what passes when a test says so. It runs in a thread of its own; all
// members may be called from any thread.
#pragma once

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

    void cut();                     // closes all connections now
    void lead_to(int server_port);  // cuts; new connections go to another server
    void refuse(bool on);           // cuts, and is not there for new ones
    void stall(bool on);            // bytes of the server wait until it is off again
    void cut_reply(
        std::size_t pass = 0);   // the server's next bytes are lost after `pass` of them, with the connection
    bool reply_was_cut() const;  // since cut_reply

private:
    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace errand::test
