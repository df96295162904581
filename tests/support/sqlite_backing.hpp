// A SQLite database for one test, in a file or in memory, with a clock that the test can set on.
#pragma once

#include "support/backing.hpp"

#include <atomic>
#include <memory>

struct sqlite3;

namespace errand::test {

class sqlite_backing final : public backing {
public:
    explicit sqlite_backing(bool in_memory);
    explicit sqlite_backing(std::string path) : path_{std::move(path)} {}

    void place(store_settings& with) override;
    long kept(const std::string& part) const override;
    void make_overdue(const task_id& id) override;
    void set_last_claim(claim_number number) override;

    // The path of its file; empty in memory.
    const std::string& path() const noexcept { return path_; }
    void advance(duration by) { *ahead_ += by.count(); }
    // Counts what a part of a Redis shard holds.
    static const std::string& query_of(const std::string& part);
    // The first column of the first row, asked on a connection of its own.
    std::string ask(const std::string& sql) const;
    // From now on, until it is let go, another connection keeps it locked.
    void hold(bool yes, const std::string& how = "BEGIN IMMEDIATE");

private:
    std::string path_;
    std::shared_ptr<sqlite3> other_;
    std::shared_ptr<store_home> home_ = std::make_shared<store_home>();
    std::shared_ptr<std::atomic<std::int64_t>> ahead_ = std::make_shared<std::atomic<std::int64_t>>(0);
};

}  // namespace errand::test
