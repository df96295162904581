// A private PostgreSQL or MariaDB in a temporary folder, on a Unix socket there and nowhere else, run by an unprivileged user.
// It ends with this object, and with the test's process however that ends.
//
// What a new server needs on disk is made once and kept beside the test programs; each server begins with a copy.
#pragma once

#include "support/private_process.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace errand::test {

class database_server {
public:
    struct options {
        bool durable = false;  // what was committed survives a power failure, not only kill(); slower
        bool tls = false;      // also on a TCP port, with a certificate of its own for 127.0.0.1
        std::vector<std::string> arguments{};
    };

    virtual ~database_server();
    database_server(const database_server&) = delete;
    database_server& operator=(const database_server&) = delete;

    // What errand connects to. Tables belong into databases that make_database() made.
    virtual std::string url(const std::string& database) const = 0;
    // The database that is always there.
    virtual std::string url() const = 0;
    // A new, empty database; its name.
    std::string make_database();
    // The same by TCP: scheme://user@127.0.0.1:port/database
    std::string tcp_url(const std::string& database) const;
    std::filesystem::path certificate() const { return folder_ / "cert.pem"; }
    const std::filesystem::path& folder() const noexcept { return folder_; }

    void kill();  // SIGKILL, no goodbye to anybody
    void stop();  // in order: its clients are told
    void restart();
    void freeze();  // SIGSTOP
    void thaw();

protected:
    // What differs: the commands, and when the server is ready.
    struct habits {
        std::string name;               // of the folders
        std::filesystem::path program;  // a newer one makes its files anew
        int stop_signal;
        int when_orphaned;
    };
    explicit database_server(habits how);
    // Both at the end of the constructor of the class that derives from this one.
    void fill();
    void start();

    virtual std::vector<std::string> making(const std::filesystem::path& data) const = 0;
    virtual std::vector<std::string> serving(const std::filesystem::path& data) const = 0;
    // The command that runs one statement, as the server's own client does.
    virtual std::vector<std::string> asking(const std::string& statement) const = 0;
    virtual std::string scheme_and_user() const = 0;
    virtual bool ready(pid_t process) const = 0;

    // Of the TCP port; for who has a certificate made.
    int port() const noexcept { return port_; }
    void make_certificate();
    std::filesystem::path data() const { return folder_ / "data"; }
    std::string log() const;

private:
    std::filesystem::path original() const;
    void launch();
    private_process::command command(std::vector<std::string> words, const std::filesystem::path& in) const;

    habits how_;
    std::filesystem::path folder_;
    private_process process_;
    int port_ = 0;
    int databases_ = 0;
};

// The one that the tests of this program share, started when it is first asked for: "postgres" or "mysql".
database_server& server_of_program(std::string_view kind);

// One more, for a test that wants another or its own.
std::unique_ptr<database_server> make_database_server(std::string_view kind,
                                                      database_server::options how = {});

}  // namespace errand::test
