// A private PostgreSQL. Its only user needs no password, but for one by the name "guarded": who makes it gives it one.
#pragma once

#include "support/database_server.hpp"

namespace errand::test {

class postgres_server final : public database_server {
public:
    explicit postgres_server(options how = {});

    std::string url(const std::string& database) const override;
    std::string url() const override { return url("postgres"); }

private:
    std::vector<std::string> making(const std::filesystem::path& data) const override;
    std::vector<std::string> serving(const std::filesystem::path& data) const override;
    std::vector<std::string> asking(const std::string& statement) const override;
    std::string scheme_and_user() const override { return "postgres://errand"; }
    bool ready(pid_t process) const override;

    options how_;
};

}  // namespace errand::test
