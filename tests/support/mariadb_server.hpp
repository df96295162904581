// A private MariaDB. Its user root needs no password.
#pragma once

#include "support/database_server.hpp"

namespace errand::test {

class mariadb_server final : public database_server {
public:
    explicit mariadb_server(options how = {});

    std::string url(const std::string& database) const override;
    std::string url() const override { return url(""); }
    std::string socket_path() const { return (folder() / "socket").string(); }

private:
    std::vector<std::string> making(const std::filesystem::path& data) const override;
    std::vector<std::string> serving(const std::filesystem::path& data) const override;
    std::vector<std::string> asking(const std::string& statement) const override;
    std::string scheme_and_user() const override { return "mysql://root"; }
    bool ready(pid_t process) const override;

    options how_;
};

}  // namespace errand::test
