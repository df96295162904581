// The connections of a database as loops share them: on a driver that only counts.
#include <errand/error.hpp>

#include "sql/pool.hpp"
#include "support/await.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

using namespace errand;
using boost::asio::io_context;
using errand::test::await;
using errand::test::run_until;

namespace {

struct book {
    int open = 0, made = 0, moved = 0;
};

class counted final : public sql::session {
public:
    explicit counted(book& in) : in_{in} {
        ++in_.open;
        ++in_.made;
    }
    ~counted() override { --in_.open; }
    awaitable<sql::result> run(std::string, std::vector<sql::value>) override { co_return sql::result{}; }
    void move_to(io_context&) override { ++in_.moved; }
    bool usable() const noexcept override { return true; }

private:
    book& in_;
};

class counting_driver final : public sql::driver {
public:
    counting_driver(book& in, bool moves) : in_{in}, moves_{moves} {}
    std::string_view name() const noexcept override { return "sqlite"; }
    const std::string& shown_url() const noexcept override { return url_; }
    bool sessions_move() const noexcept override { return moves_; }
    awaitable<std::unique_ptr<sql::session>> connect(io_context&) override {
        co_return std::make_unique<counted>(in_);
    }

private:
    book& in_;
    const bool moves_;
    const std::string url_ = "counted";
};

struct shared_pool {
    explicit shared_pool(bool moves, std::size_t connections = 2,
                         sql::pool::clock::duration passed_over = std::chrono::hours{1})
        : driver{in, moves},
          all{std::make_shared<sql::pool>(driver, database_options{.connections = connections},
                                          sql::pool::greeting{}, passed_over)} {}

    sql::pool::connection take(io_context& on) { return await(on, all->take(on)); }
    struct asked {
        std::optional<sql::pool::connection> got;
        std::exception_ptr failure;
    };
    // Asks for one that is not there; what comes of it, in time.
    std::shared_ptr<asked> ask(io_context& on) {
        auto of = std::make_shared<asked>();
        boost::asio::co_spawn(
            on, [](sql::pool& from, io_context& at) { return from.take(at); }(*all, on),
            [of](std::exception_ptr failed, sql::pool::connection one) {
                of->failure = failed;
                if (!failed) of->got.emplace(std::move(one));
            });
        on.restart();
        on.poll();
        return of;
    }
    void back(sql::pool::connection& one, bool clean = true) { all->give_back(std::move(one), clean); }

    book in;
    counting_driver driver;
    std::shared_ptr<sql::pool> all;
};

}  // namespace

TEST_CASE("a loop gets a connection that is idle on it before any other") {
    io_context one{1}, two{1};
    shared_pool pool{GENERATE(false, true)};
    auto first = pool.take(one), second = pool.take(two);
    const auto* of_one = first.in.get();
    pool.back(first);
    pool.back(second);
    CHECK(pool.take(one).in.get() == of_one);
    CHECK(pool.in.made == 2);
    CHECK(pool.in.moved == 0);
}

TEST_CASE(
    "a connection that is idle on another loop is moved, or closed for a new one when there are enough") {
    const bool moves = GENERATE(false, true);
    io_context one{1}, two{1};
    shared_pool pool{moves};
    for (int i = 0; i < 2; ++i) {
        auto first = pool.take(one), second = pool.take(one);
        pool.back(first);
        pool.back(second);
    }
    auto other = pool.take(two);
    CHECK(other.on == &two);
    CHECK(pool.in.made == (moves ? 2 : 3));
    CHECK(pool.in.moved == (moves ? 1 : 0));
    CHECK(pool.in.open == 2);
    pool.back(other);
}

TEST_CASE("who waits gets what comes back on his loop; on another one it is moved, or he makes his own") {
    const bool moves = GENERATE(false, true);
    io_context one{1}, two{1};
    shared_pool pool{moves, 1};
    auto taken = pool.take(one);
    const auto here = pool.ask(two);
    CHECK_FALSE(here->got);
    pool.back(taken);
    REQUIRE(run_until(two, [&] { return here->got.has_value(); }));
    CHECK(here->got->on == &two);
    CHECK(pool.in.made == (moves ? 1 : 2));
    CHECK(pool.in.open == 1);

    const auto next = pool.ask(two);
    pool.back(*here->got);
    REQUIRE(run_until(two, [&] { return next->got.has_value(); }));
    CHECK(pool.in.made == (moves ? 1 : 2));
    pool.back(*next->got);
}

TEST_CASE(
    "what cannot be moved goes to those who wait on its loop, until the first has waited for too long") {
    const bool patient = GENERATE(true, false);
    io_context one{1}, two{1};
    shared_pool pool{false, 1, patient ? std::chrono::hours{1} : std::chrono::hours{0}};
    auto taken = pool.take(one);
    const auto first = pool.ask(two), second = pool.ask(one);
    pool.back(taken);
    auto& sooner = patient ? one : two;
    REQUIRE(run_until(sooner, [&] { return (patient ? second : first)->got.has_value(); }));
    CHECK(pool.in.made == (patient ? 1 : 2));
    pool.back(*(patient ? second : first)->got, false);
    REQUIRE(run_until(patient ? two : one, [&] { return (patient ? first : second)->got.has_value(); }));
    CHECK(pool.in.made == (patient ? 2 : 3));
    pool.back(*(patient ? first : second)->got);
}

TEST_CASE("a loop gets connections of its own while there are two for each, and for the background") {
    io_context one{1}, two{1}, three{1};
    CHECK(shared_pool{true, 1}.all->admits(one));
    CHECK_FALSE(shared_pool{false, 3}.all->admits(one));
    shared_pool pool{false, 7};
    CHECK(pool.all->admits(one));
    {
        io_context ends{1};
        CHECK(pool.all->admits(ends));
        CHECK_FALSE(pool.all->admits(three));
    }
    CHECK(pool.all->admits(two));
    CHECK(pool.all->admits(one));
    CHECK_FALSE(pool.all->admits(three));
}

TEST_CASE("connections that are idle on a loop go with it, and others may be made instead") {
    io_context stays{1};
    shared_pool pool{GENERATE(false, true)};
    {
        io_context ends{1};
        auto first = pool.take(ends), second = pool.take(ends);
        pool.back(first);
        pool.back(second);
        CHECK(pool.in.open == 2);
    }
    CHECK(pool.in.open == 0);
    auto first = pool.take(stays), second = pool.take(stays);
    CHECK(pool.in.made == 4);
    pool.back(first);
    pool.back(second);
}

TEST_CASE("a connection that was moved to a loop goes with that one") {
    io_context stays{1};
    shared_pool pool{true};
    auto made = pool.take(stays);
    pool.back(made);
    {
        io_context ends{1};
        auto moved = pool.take(ends);
        CHECK(pool.in.moved == 1);
        pool.back(moved);
    }
    CHECK(pool.in.open == 0);
}

TEST_CASE("what is given to one who is gone meanwhile goes to the next who waits") {
    io_context stays{1};
    shared_pool pool{true, 1};
    const bool clean = GENERATE(false, true);  // a connection, or the right to make one
    auto ends = std::make_unique<io_context>(1);
    auto taken = pool.take(stays);
    const auto gone = pool.ask(*ends), next = pool.ask(stays);
    pool.back(taken, clean);
    CHECK_FALSE(gone->got);
    ends.reset();
    REQUIRE(run_until(stays, [&] { return next->got.has_value(); }));
    CHECK(pool.in.open == 1);
    pool.back(*next->got);
}

TEST_CASE("a pool that was closed lets nobody wait and keeps nothing") {
    io_context one{1}, two{1};
    shared_pool pool{true, 1};
    auto taken = pool.take(one);
    const auto waits = pool.ask(two);
    pool.all->close();
    REQUIRE(run_until(two, [&] { return waits->failure != nullptr; }));
    CHECK_THROWS_AS(std::rethrow_exception(waits->failure), store_error);
    pool.back(taken);
    CHECK(pool.in.open == 0);
    CHECK_THROWS_AS(pool.take(one), store_error);
}
