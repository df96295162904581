// A private Redis (or Valkey: ERRAND_TEST_REDIS_SERVER names the binary) in a temporary folder, on a unix socket and, if
// asked, a TCP port of its own. It ends with this object, and with the test's process however that ends.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <sys/types.h>
#include <vector>

namespace errand::test {

class redis_server {
public:
    struct options {
        bool tcp = false;
        bool tls = false;          // on the TCP port, with a certificate of its own for 127.0.0.1
        bool append_only = false;  // appendfsync always: what was answered survives kill()
        std::vector<std::string> arguments{};
        std::vector<std::string> environment{};      // name=value
        std::map<std::string, std::string> files{};  // name and text: what is in its folder at first
        std::string configuration{};                 // the one of these that it reads
        int port = 0;                                // of TCP; 0: one that is free
    };

    redis_server();
    explicit redis_server(options how);
    ~redis_server();
    redis_server(const redis_server&) = delete;
    redis_server& operator=(const redis_server&) = delete;

    std::string url() const;      // of the unix socket
    std::string tcp_url() const;  // redis:// or rediss://
    int port() const noexcept { return port_; }
    const std::filesystem::path& folder() const noexcept { return folder_; }
    std::string socket_path() const { return (folder_ / "socket").string(); }

    bool is_running() const noexcept { return pid_ > 0; }
    void kill();     // SIGKILL
    void stop();     // SIGTERM, and waits
    void restart();  // after kill or stop, with what was on disk; a write that the kill has torn is forgotten
    void freeze();   // SIGSTOP
    void thaw();

    // One command on a connection of its own. Lists come as lines, nothing as "(nil)", an error as its text with a '-'.
    std::string command(const std::vector<std::string>& words) const;

private:
    void start();
    void write_file_anew() const;
    void make_certificate() const;
    void end(int signal);

    options how_;
    std::filesystem::path folder_;
    int port_ = 0;
    pid_t pid_ = -1;
};

}  // namespace errand::test
