// One transaction at a time on a database, with what all calls in it share: the connection and its statements, the time,
// whose call it is, what is known of the namespace, and what is to be told once it has been committed.
//
// Belongs to its engine's thread.
#pragma once

#include "store/sqlite/idle_workers.hpp"
#include "store/sqlite/namespace_cache.hpp"

#include <functional>

namespace errand::sqlite {

// Microseconds since 1970.
struct clock_function {
    std::function<std::int64_t()> read;
    bool stands_still = false;  // until somebody moves it
    std::int64_t operator()() const { return read(); }
};

class transaction {
public:
    // `as` is this process in the file. `inside`: of a transaction that somebody else has begun, commits and rolls back.
    transaction(connection& on, idle_workers& of, clock_function clock, std::int64_t as, bool inside);

    void begin(bool reading);
    // Of a transaction that somebody else has begun.
    bool is_inside() const noexcept { return inside_; }
    // Inside: throws when that transaction is no more.
    void must_be_open() const;
    void commit();
    void abandon();  // rolls back
    bool any_notices() const noexcept { return !notices_.empty(); }
    std::vector<notice> take_notices() {
        certain_ = 0;
        return std::exchange(notices_, {});
    }
    // Whether another process has written since this was asked last.
    bool overtaken();
    // Something was done for which somebody of another process may wait. After the commit it is told to all of them.
    void concerns_others() noexcept { concerns_others_ = true; }
    bool take_concerns_others() noexcept { return std::exchange(concerns_others_, false); }

    // Whose call the next one is. One that was never here gets its namespace.
    void enter(caller& by);
    void leave() noexcept { by_ = nullptr; }
    void open_namespace(std::int64_t ns);

    // ---- of the call under way ----
    caller& by() const noexcept { return *by_; }
    namespace_cache& cache() const noexcept { return *cache_; }
    std::int64_t ns() const noexcept { return cache_->key(); }
    std::int64_t micros() const noexcept { return micros_; }
    std::int64_t now() const noexcept { return now_; }      // ms, rounded down: whether something is due
    std::int64_t upper() const noexcept { return upper_; }  // ms, rounded up: when something will be
    time_point time() const noexcept { return time_point{duration{now_}}; }

    // To be told after the commit.
    void notify(caller& to, notice::kind what, ended_task about = {}) {
        notices_.push_back({&to, what, std::move(about)});
    }
    // The same for one that may be of another process, which fetches it from the file.
    void notify(std::int64_t process_of, std::string_view name, notice::kind what, ended_task about);

    // What is set of handlers is another one than everybody of this process knows.
    void tell_of_settings(std::int64_t ns, std::int64_t version);

    // The clock itself, us.
    std::int64_t clock() const { return clock_(); }
    bool clock_stands_still() const noexcept { return clock_.stands_still; }

    connection& in;
    idle_workers& idle;
    const std::int64_t process;
    statements sql;

    // Whether there is any row of these: most files hold none, and then nothing is looked for task by task. Looked up once
    // in a transaction; whoever adds a row says so.
    struct known_rows {
        std::optional<bool> links, watched, stages, in_line;
    } any;

private:
    void forget_all();
    void check_format();

    clock_function clock_;
    bool inside_;
    bool begun_ = false;  // inside: the savepoint is there
    std::unordered_map<std::int64_t, std::unique_ptr<namespace_cache>> caches_;
    std::vector<notice> notices_;
    std::size_t certain_ = 0;  // so many of them are of transactions that were committed
    bool concerns_others_ = false;
    std::vector<caller*> made_;  // those whose namespace this transaction has made
    std::int64_t version_ = -1;

    caller* by_ = nullptr;
    namespace_cache* cache_ = nullptr;
    std::int64_t micros_ = 0;
    std::int64_t now_ = 0;
    std::int64_t upper_ = 0;
};

}  // namespace errand::sqlite
