// One connection to PostgreSQL behind the seam: libpq without blocking, on the loop.
//
// A statement is under way from the first byte sent until the server has said that it is ready for another. Whoever leaves
// run() in between (cancelled, or the connection lost) leaves a session that nobody can use again.
#pragma once

#include "sql/driver.hpp"
#include "sql/postgres/pointers.hpp"
#include "sql/postgres/socket_watch.hpp"
#include "sql/postgres/values.hpp"
#include "sql/statement_cache.hpp"

#include <string>
#include <vector>

namespace errand::postgres {

class session final : public sql::session {
public:
    // Its own connection: statements that come again are prepared once and kept, `keep` of them.
    session(boost::asio::io_context& on, connection_ptr own, std::string shown, std::size_t keep = 200);
    // A connection that somebody else opened and will close: it gets nothing that stays in it, and is afterwards as it was.
    session(const boost::asio::any_io_executor& on, PGconn* adopted);
    ~session() override;

    awaitable<sql::result> run(std::string statement, std::vector<sql::value> values) override;
    // In one round trip, but for what is to be copied.
    awaitable<sql::result> run_all(std::vector<sql::statement> all, std::size_t& at) override;
    void move_to(boost::asio::io_context& on) override;
    // Looks at the connection, too: one that the server closed meanwhile is not usable.
    bool usable() const noexcept override;

private:
    class under_way;
    class pipeline;
    struct queued;

    awaitable<result_ptr> execute(const std::string& statement, const parameters& with);
    awaitable<result_ptr> execute_kept(const std::string& statement, const parameters& with);
    awaitable<result_ptr> once(const char* statement, const parameters& with);
    awaitable<std::string> prepared(const std::string& key, const std::string& statement,
                                    const parameters& with);
    awaitable<void> close_left();
    queued queue(const sql::statement& one, const parameters& with);
    awaitable<result_ptr> answer_to(const queued& one, std::string_view statement);
    awaitable<result_ptr> answer_to(std::string_view statement);
    awaitable<void> flushed(std::string_view statement);
    awaitable<result_ptr> last_result(std::string_view statement);
    void check(PGresult* answer, std::string_view statement);
    awaitable<result_ptr> next_result(std::string_view statement, const PGresult* before);
    void sent(int accepted, std::string_view statement);

    connection_ptr own_;
    PGconn* connection_;
    std::string shown_;
    socket_watch socket_;
    bool keeps_;
    bool was_nonblocking_ = true;
    bool broken_ = false;
    sql::statement_cache<std::string> names_;  // of what is prepared
    std::vector<std::string> left_;            // prepared and not needed any more
    unsigned long last_name_ = 0;
};

// While it lives, statements are under way: who leaves before their answers have come leaves a session that nobody can use.
class session::under_way {
public:
    explicit under_way(session& of) : of_{of} {}
    under_way(const under_way&) = delete;
    under_way& operator=(const under_way&) = delete;
    ~under_way();

private:
    session& of_;
};

}  // namespace errand::postgres
