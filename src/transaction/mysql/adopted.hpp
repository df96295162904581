// A connection that the user opened, behind the seam.
#pragma once

#include "transaction/driver.hpp"

namespace boost::mysql {
class any_connection;
}

namespace errand::mysql {

// Between its statements the connection is as the user left it.
class adopted final : public sql::session {
public:
    explicit adopted(boost::mysql::any_connection& connection) : connection_{connection} {}

    awaitable<sql::result> run(std::string statement, std::vector<sql::value> values) override;
    bool usable() const noexcept override { return usable_; }

private:
    boost::mysql::any_connection& connection_;
    bool usable_ = true;
};

}  // namespace errand::mysql
