// A program with a database of its own, whose transactions a test commits and rolls back.
#pragma once

#include "handlers.hpp"
#include "support/database_fixture.hpp"
#include "support/test_app.hpp"

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace committed {

using receipt_handle = errand::handle<std::int64_t>;

struct rollback : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct shop {
    explicit shop(errand::config settings = errand::test::fresh_settings())
        : t{std::move(settings)}, where{t.app.provide<place>()}, db{t.app} {
        where.db = &*db;
    }

    template <class T>
    T ask(const std::string& statement) {
        return t.run(db->query<T>(statement)).at(0);
    }
    std::int64_t count(const std::string& table) {
        return ask<std::int64_t>("SELECT count(*) FROM " + table);
    }
    bool submitted(const std::string& id) { return t.run(t.app.find(id)).has_value(); }
    errand::outbox_info outbox() { return t.run(t.app.inspect().outboxes()).at(0); }
    void nothing_left() {
        errand::test::eventually([this] { return count("errand_outbox") == 0; });
    }
    bool delivered(std::int64_t tasks) {
        return outbox().delivered == (errand::test::tasks_are_inside() ? 0 : tasks);
    }

    errand::test::test_app t;
    place& where;
    errand::test::test_database db;
};

inline errand::awaitable<void> write(errand::database_transaction& tx, std::int64_t id) {
    co_await tx.execute(errand::test::sql("INSERT INTO note(id, text) VALUES(?, ?)"), id, "note");
}

}  // namespace committed
