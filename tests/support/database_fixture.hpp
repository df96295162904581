// A database of its own for a test, of the kind that the tests run on: ERRAND_TEST_DATABASE, sqlite when it is not set.
#pragma once

#include <errand/errand.hpp>

#include "support/database_kind.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace errand::test {

// ERRAND_TEST_STORE=sqlite-inside: tasks are kept in the file of the test's database, and none goes through its outbox.
bool tasks_are_inside();

// An empty database, as a URL; it goes with the program.
std::string fresh_database_url();

// A database object on it.
std::shared_ptr<errand::database> open_database(errand::app& owner, const std::string& url,
                                                database_options options = {});

// A statement whose parameters are written as ?, as this kind of database wants it.
std::string sql(std::string_view statement);

// A fresh database with the tables of errand (also those of the app's tasks when ERRAND_TEST_STORE says so), and a table of what a test writes: note(id, text).
class test_database {
public:
    explicit test_database(errand::app& owner, database_options options = {});

    errand::database& operator*() const noexcept { return *db_; }
    errand::database* operator->() const noexcept { return db_.get(); }
    const std::string& url() const noexcept { return url_; }
    // As the end of its process would end it, but that what it was about to deliver is delivered.
    void close() { db_.reset(); }

private:
    std::string url_;
    std::shared_ptr<errand::database> db_;
};

}  // namespace errand::test
