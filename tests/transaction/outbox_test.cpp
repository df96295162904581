// A task is submitted if and only if the transaction commits.
#include "outbox/database_core.hpp"
#include "runtime/outbox_port.hpp"
#include "shop.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace std::chrono_literals;
using namespace boost::asio::experimental::awaitable_operators;
using namespace committed;
using Catch::Matchers::ContainsSubstring;
using errand::test::eventually;
using errand::test::sql;
using errand::test::test_app;
namespace asio = boost::asio;

namespace {

// A trigger that keeps what is written to the outbox.
std::string copy_rows() {
    if (errand::test::database_kind() == "postgres")
        return "CREATE RULE keep AS ON INSERT TO errand_outbox DO ALSO INSERT INTO kept VALUES(NEW.*)";
    const std::string insert =
        "INSERT INTO kept VALUES(NEW.name_space, NEW.batch, NEW.place, NEW.written_at, NEW.format, NEW.task, "
        "NEW.handler, NEW.queue, NEW.biz_id, NEW.due_at, NEW.conflict, NEW.known, NEW.head, NEW.args)";
    const bool mysql = errand::test::database_kind() == "mysql";
    return "CREATE TRIGGER keep AFTER INSERT ON errand_outbox FOR EACH ROW " +
           (mysql ? insert : "BEGIN " + insert + "; END");
}

}  // namespace

TEST_CASE("What a committed transaction has performed is submitted, and its rows are there", "[outbox]") {
    shop s;
    const auto h = s.t.run([](shop& in) -> errand::awaitable<receipt_handle> {
        co_return co_await errand::transaction(*in.db, [&](auto& tx) -> errand::awaitable<receipt_handle> {
            co_await write(tx, 1);
            auto held = co_await in.t.app.template handler<receipt>().perform_async(1);
            CHECK_FALSE(held.duplicate());
            CHECK_THROWS_AS(co_await held.result(1s), errand::usage_error);
            co_return held;
        });
    }(s));
    CHECK(s.count("note") == 1);
    s.t.start();
    CHECK(s.t.wait(h) == 1);
    s.nothing_left();
    CHECK(s.delivered(1));
    CHECK(s.outbox().backlog == 0);
}

TEST_CASE("Nothing is there and nothing is submitted when the body throws", "[outbox]") {
    shop s;
    std::optional<receipt_handle> held;
    CHECK_THROWS_AS(s.t.run([](shop& in, auto& out) -> errand::awaitable<void> {
        co_await errand::transaction(*in.db, [&](auto& tx) -> errand::awaitable<void> {
            co_await write(tx, 1);
            out = co_await in.t.app.template handler<receipt>().perform_async(1);
            throw rollback{"no"};
        });
    }(s, held)),
                    rollback);
    CHECK(s.count("note") == 0);
    CHECK(s.count("errand_outbox") == 0);
    CHECK_FALSE(s.submitted(held->id()));
    CHECK_THROWS_AS(s.t.info(*held), errand::usage_error);
}

TEST_CASE("Performing without a statement is a transaction too, and nothing at all is none", "[outbox]") {
    shop s;
    const auto h = s.t.run(errand::transaction(*s.db, [&](auto&) -> errand::awaitable<receipt_handle> {
        co_return co_await s.t.app.handler<receipt>().perform_async(5);
    }));
    CHECK(s.t.info(h).args == boost::json::array{5});
    CHECK(s.t.run(errand::transaction(*s.db, [&](auto&) -> errand::awaitable<int> { co_return 3; })) == 3);
}

TEST_CASE("An inner transaction is a savepoint: what it did goes alone when it throws", "[outbox]") {
    shop s;
    std::vector<receipt_handle> handles;
    s.t.run([](shop& in, auto& out) -> errand::awaitable<void> {
        auto receipts = in.t.app.handler<receipt>();
        co_await errand::transaction(*in.db, [&](auto& tx) -> errand::awaitable<void> {
            co_await write(tx, 1);
            out.push_back(co_await receipts.perform_async(1));
            try {
                co_await errand::transaction(*in.db, [&](auto& inner) -> errand::awaitable<void> {
                    co_await write(inner, 2);
                    out.push_back(co_await receipts.perform_async(2));
                    // The outer body's tx takes part in the inner one here.
                    co_await write(tx, 3);
                    throw rollback{"inner"};
                });
            } catch (const rollback&) {
            }
            co_await errand::transaction(*in.db, [&](auto& inner) -> errand::awaitable<void> {
                co_await write(inner, 4);
                out.push_back(co_await receipts.perform_async(4));
            });
            // A transaction of the app joins the one of the database.
            co_await errand::transaction(in.t.app, [&]() -> errand::awaitable<void> {
                out.push_back(co_await receipts.perform_async(5));
            });
        });
    }(s, handles));
    CHECK(s.t.run(s.db->query<std::int64_t>("SELECT id FROM note ORDER BY id")) ==
          std::vector<std::int64_t>{1, 4});
    s.nothing_left();
    REQUIRE(handles.size() == 4);
    CHECK(s.submitted(handles[0].id()));
    CHECK_FALSE(s.submitted(handles[1].id()));
    CHECK(s.submitted(handles[2].id()));
    CHECK(s.submitted(handles[3].id()));
}

TEST_CASE("Branches of a transaction may be nested ones at the same time", "[outbox][concurrent]") {
    shop s;
    s.t.run([](shop& in) -> errand::awaitable<void> {
        co_await errand::transaction(*in.db, [&](auto& tx) -> errand::awaitable<void> {
            const auto branch = [&](std::int64_t id, bool fails) -> errand::awaitable<void> {
                try {
                    co_await errand::transaction(*in.db, [&](auto& inner) -> errand::awaitable<void> {
                        co_await write(inner, id);
                        co_await asio::post(asio::use_awaitable);
                        co_await in.t.app.template handler<receipt>().perform_async(id);
                        co_await write(inner, id + 1);
                        if (fails) throw rollback{"branch"};
                    });
                } catch (const rollback&) {
                }
            };
            const auto plain = [&]() -> errand::awaitable<void> {
                for (int i = 0; i < 10; ++i) co_await write(tx, 100 + i);
            };
            co_await (branch(10, false) && branch(20, true) && branch(30, false) && plain());
        });
    }(s));
    CHECK(s.count("note") == 14);
    CHECK(s.t.run(s.db->query<std::int64_t>("SELECT count(*) FROM note WHERE id IN (20, 21)")).at(0) == 0);
    s.nothing_left();
    CHECK(s.delivered(2));
}

TEST_CASE("Bulk, delays, dependencies and options are held back and kept", "[outbox]") {
    shop s;
    const auto before = std::chrono::system_clock::now();
    std::vector<receipt_handle> all;
    s.t.run([](shop& in, auto& out) -> errand::awaitable<void> {
        co_await errand::transaction(*in.db, [&](auto&) -> errand::awaitable<void> {
            auto receipts = in.t.app.template handler<receipt>();
            out = co_await receipts.perform_bulk(std::vector<std::int64_t>{1, 2, 3});
            out.push_back(co_await receipts.perform_in(1h, 4));
            const errand::options after{.priority = 3, .after = {out[0], out[1]}, .headers = {{"a", "b"}}};
            out.push_back(co_await receipts.with(after).perform_async(5));
        });
    }(s, all));
    REQUIRE(all.size() == 5);
    const auto delayed = s.t.info(all[3]);
    CHECK(delayed.state == errand::state::delayed);
    CHECK(*delayed.due_at >= before + 1h - 1ms);
    CHECK(*delayed.due_at <= std::chrono::system_clock::now() + 1h + 1s);
    const auto child = s.t.info(all[4]);
    CHECK(child.state == errand::state::waiting);
    CHECK(child.headers.at("a") == "b");
    s.t.start();
    CHECK(s.t.wait(all[4]) == 5);
}

TEST_CASE("Of a large commit no row is left behind, once it is delivered", "[outbox]") {
    shop s;
    std::vector<std::int64_t> numbers(12'000);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::int64_t>(i);
    s.t.run(errand::transaction(*s.db, [&](auto&) -> errand::awaitable<void> {
        co_await s.t.app.template handler<receipt>().perform_bulk(numbers);
    }));
    s.nothing_left();
    CHECK(s.delivered(12'000));
}

TEST_CASE("What a submission can throw is thrown by the commit, which rolls back", "[outbox]") {
    shop s;
    s.t.run(s.t.app.handler<named>().perform_async("taken"));
    const auto reject = errand::options{.on_duplicate = errand::reject};
    CHECK_THROWS_AS(
        s.t.run(errand::transaction(*s.db,
                                    [&](auto& tx) -> errand::awaitable<void> {
                                        co_await write(tx, 1);
                                        co_await s.t.app.handler<named>().with(reject).perform_async("taken");
                                    })),
        errand::duplicate_task);
    const auto cycle = [&](auto& tx) -> errand::awaitable<void> {
        co_await write(tx, 2);
        auto of = s.t.app.handler<named>();
        const errand::options first{.after = {of.ref("cycle-b")}}, second{.after = {of.ref("cycle-a")}};
        co_await of.with(first).perform_async("cycle-a");
        co_await of.with(second).perform_async("cycle-b");
    };
    CHECK_THROWS_AS(s.t.run(errand::transaction(*s.db, cycle)), errand::dependency_cycle);
    CHECK(s.count("note") == 0);
    CHECK(s.count("errand_outbox") == 0);
}

TEST_CASE("A duplicate is known to be one after the commit", "[outbox]") {
    shop s;
    const auto first = s.t.run(s.t.app.handler<named>().perform_async("same"));
    const auto second =
        s.t.run(errand::transaction(*s.db, [&](auto&) -> errand::awaitable<errand::handle<std::string>> {
            co_return co_await s.t.app.handler<named>().perform_async("same");
        }));
    CHECK(second.id() == first.id());
    CHECK(second.duplicate());
    const auto third =
        s.t.run(errand::transaction(*s.db, [&](auto&) -> errand::awaitable<errand::handle<std::string>> {
            co_return co_await s.t.app.handler<named>().perform_async("new");
        }));
    CHECK_FALSE(third.duplicate());
    s.t.start();
    CHECK(s.t.wait(second) == "same");
}

TEST_CASE("The body is run again when the database gave the transaction up, without what it held before",
          "[outbox]") {
    shop s;
    int runs = 0;
    s.t.run(errand::transaction(*s.db, errand::retry_serialization{3},
                                [&](auto& tx) -> errand::awaitable<void> {
                                    ++runs;
                                    co_await s.t.app.handler<receipt>().perform_async(runs);
                                    co_await write(tx, runs);
                                    if (runs < 3) throw errand::serialization_failure{"again", "40001"};
                                }));
    CHECK(runs == 3);
    CHECK(s.count("note") == 1);
    s.nothing_left();
    CHECK(s.delivered(1));
    runs = 0;
    CHECK_THROWS_AS(s.t.run(errand::transaction(*s.db, errand::retry_serialization{2},
                                                [&](auto&) -> errand::awaitable<void> {
                                                    ++runs;
                                                    throw errand::serialization_failure{"again", "40001"};
                                                    co_return;
                                                })),
                    errand::serialization_failure);
    CHECK(runs == 3);
}

TEST_CASE("Performing or executing after the end is a usage_error", "[outbox]") {
    shop s;
    asio::thread_pool pool{1};
    std::optional<receipt_handle> out;
    std::shared_ptr<errand::detail::transaction_level> level;
    s.t.run(errand::transaction(*s.db, [&](auto& tx) -> errand::awaitable<void> {
        level = tx.level();
        co_await write(tx, 1);
    }));
    errand::database_transaction gone{level};
    CHECK_THROWS_AS(s.t.run(gone.execute("DELETE FROM note")), errand::usage_error);
    CHECK(s.count("note") == 1);
}

TEST_CASE("A missing table is named by the error, and the transaction is rolled back",
          "[outbox][through_outbox]") {
    shop s;
    s.t.run(s.db->execute("DROP TABLE errand_outbox"));
    CHECK_THROWS_WITH(s.t.run(errand::transaction(*s.db,
                                                  [&](auto& tx) -> errand::awaitable<void> {
                                                      co_await write(tx, 1);
                                                      co_await s.t.app.handler<receipt>().perform_async(1);
                                                  })),
                      ContainsSubstring("errand outbox install --db"));
    CHECK(s.count("note") == 0);
}

TEST_CASE("The relay delivers what was left behind, and a repeat changes nothing",
          "[outbox][through_outbox]") {
    shop s;
    const errand::options no_trace{.retention = 0ms};
    const auto perform = [&](auto&) -> errand::awaitable<receipt_handle> {
        co_return co_await s.t.app.handler<receipt>().with(no_trace).perform_async(9);
    };
    // Rows are copied while the commit is on its way: a process that dies leaves them so.
    s.t.run(s.db->execute("CREATE TABLE kept AS SELECT * FROM errand_outbox WHERE 1 = 0"));
    s.t.run(s.db->execute(copy_rows()));
    const auto held = s.t.run(errand::transaction(*s.db, perform));
    s.nothing_left();
    REQUIRE(s.count("kept") == 1);
    // Nothing is known to have been delivered yet when it is there again: the store was told to forget it.
    CHECK(s.submitted(held.id()));
    const auto core = s.db->core();
    // MySQL reads no table that a trigger writes to.
    if (errand::test::database_kind() == "mysql") s.t.run(s.db->execute("DROP TRIGGER keep"));
    s.t.run(s.db->execute("INSERT INTO errand_outbox SELECT * FROM kept"));
    CHECK(s.outbox().backlog == 1);
    // Of one that was written a moment ago its own process may have it on its way.
    s.t.run(s.db->execute("UPDATE errand_outbox SET written_at = written_at + 3600000"));
    CHECK(s.t.run(core->deliver_left_behind()) == 0);
    s.t.run(s.db->execute("UPDATE errand_outbox SET written_at = written_at - 3660000"));
    CHECK(s.outbox().oldest >= 60s);
    CHECK(s.t.run(core->deliver_left_behind()) == 1);
    CHECK(s.count("errand_outbox") == 0);
    CHECK(s.outbox().left_behind == 1);
    CHECK(s.outbox().refused == 0);
    s.t.start();
    eventually([&] { return !s.submitted(held.id()); });
}

TEST_CASE("Rows of tasks that are encrypted say nothing of them, and are delivered like others",
          "[outbox][through_outbox]") {
    auto settings = errand::test::fresh_settings();
    settings.encryption_keys = "k1:" + std::string(64, '1');
    shop s{std::move(settings)};
    s.t.run(s.db->execute("CREATE TABLE kept AS SELECT * FROM errand_outbox WHERE 1 = 0"));
    s.t.run(s.db->execute(copy_rows()));
    const auto h =
        s.t.run(errand::transaction(*s.db, [&](auto&) -> errand::awaitable<errand::handle<std::string>> {
            co_return co_await s.t.app.handler<named>().perform_async("anna@example.org");
        }));
    CHECK(s.count("kept") == 1);
    const auto args = s.t.run(s.db->query<std::string>("SELECT args FROM kept"));
    CHECK(args.at(0).starts_with(R"(["errand.sealed.1:k1:)"));
    s.t.start();
    CHECK(s.t.wait(h) == "anna@example.org");
    s.nothing_left();
    CHECK(s.t.info(h).encrypted_with == "k1");
}
