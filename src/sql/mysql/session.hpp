// One connection to MySQL or MariaDB behind the seam, by Boost.MySQL.
//
// `affected` is what the server says: rows that an UPDATE found and left as they were do not count.
#pragma once

#include "sql/driver.hpp"
#include "sql/mysql/connect.hpp"
#include "sql/statement_cache.hpp"

#include <boost/mysql/execution_state.hpp>
#include <boost/mysql/statement.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace errand::mysql {

class session final : public sql::session {
public:
    // Its own connection: statements that come again are prepared once and kept, `keep` of them.
    session(std::shared_ptr<const destination> there, std::unique_ptr<boost::mysql::any_connection> own,
            std::size_t keep = 200);
    // A connection that somebody else opened and will close: it gets nothing that stays in it, and is afterwards as it was.
    explicit session(boost::mysql::any_connection& adopted);
    ~session() override;

    awaitable<sql::result> run(std::string statement, std::vector<sql::value> values) override;
    // On a connection of its own without a round trip for BEGIN, when a transaction was the last there, too; and with one for
    // COMMIT and what is before it, where the server can.
    awaitable<sql::result> run_all(std::vector<sql::statement> all, std::size_t& at) override;
    bool usable() const noexcept override { return !broken_; }

private:
    class under_way;

    awaitable<sql::result> execute(const std::string& statement, const std::vector<sql::value>& values);
    awaitable<sql::result> execute_prepared(const std::string& statement,
                                            const std::vector<sql::value>& values, bool keep);
    awaitable<void> begin();
    awaitable<bool> commit_behind(const sql::statement& last, std::size_t& at);
    // Whether each statement is to commit by itself, or none does.
    awaitable<void> commit_each(bool statement);
    awaitable<sql::result> results_of(boost::mysql::execution_state& state, std::string_view statement);
    awaitable<boost::mysql::statement> prepared(const std::string& statement, bool keep);
    awaitable<void> close_spent();
    void check(const boost::mysql::error_code& failed, std::string_view statement);
    void give_up() noexcept;

    std::shared_ptr<const destination> there_;  // null: adopted
    std::unique_ptr<boost::mysql::any_connection> own_;
    bool keeps_;
    boost::mysql::any_connection& connection_;
    boost::mysql::metadata_mode was_mode_;
    boost::mysql::diagnostics said_;
    sql::statement_cache<boost::mysql::statement> statements_;
    std::vector<boost::mysql::statement> spent_;  // prepared and not needed any more
    bool inside_ = false;                         // a transaction that run_all() has begun
    std::optional<bool> commits_each_;            // as far as is known
    bool takes_blocks_ = true;                    // as far as is known
    bool broken_ = false;
};

}  // namespace errand::mysql
