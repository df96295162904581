// What is shelved and may come again, as the lines of an import do when nobody knows whether they were sent.
#include "core/shelf_rules.hpp"
#include "shelf/crossing.hpp"
#include "shelf_by_hand.hpp"
#include "store/passing_store.hpp"

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <cstddef>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using namespace committed;
using errand::submit_verdict;

namespace {

errand::submission_item line_due(const std::string& number, errand::time_point now, errand::duration in) {
    auto item = item_under(errand::derive_task_id("line", number), errand::on_conflict::keep, in);
    item.at = now + *std::exchange(item.delay, std::nullopt);
    item.may_come_again = item.may_come_again_there = true;
    item.for_shelf = item.asks_shelf = true;
    return item;
}

errand::submit_answer send(shelf_by_hand& by, const errand::submission_item& item) {
    const std::array one{item};
    return errand::test::await(by.io, by.on->submit(0, one, errand::submit_mode::each)).at(0);
}

// Until everybody who looks at the shelf has brought it there is nothing on it, and what the store remembers of that is forgotten.
void bring_and_forget(shelf_desk& d, const errand::submission_item& item) {
    test_app eager{d.eager()};
    CHECK(fetch_all(eager) == 1);
    CHECK(d.on_shelf() == 0);
    const auto id = errand::to_text(item.id);
    CHECK(d.in_store(id));
    CHECK(d.t.run(d.t.app.inspect().remove(id)));
    test_app blind{d.plain};
    const std::array gone{errand::delivered_task{item.id, errand::incarnation_of(item.body)}};
    blind.run(errand::on_loop(errand::detail::core_of(blind.app).background(),
                              [&](errand::loop& there) { return there.tasks().forget(gone); }));
}

// Counts what it is to forget.
class forgetful_store final : public errand::passing_store {
public:
    forgetful_store(std::unique_ptr<errand::store> in, std::size_t& forgotten)
        : passing_store{std::move(in)}, forgotten_{forgotten} {}

    errand::awaitable<void> forget(std::span<const errand::delivered_task> tasks) override {
        forgotten_ += tasks.size();
        return in_.forget(tasks);
    }

private:
    std::size_t& forgotten_;
};

// Who is told of each statement before it is made.
using ear = std::function<void(const std::string&)>;

class heard_session final : public errand::sql::session {
public:
    heard_session(std::unique_ptr<errand::sql::session> in, const ear& by) : in_{std::move(in)}, by_{by} {}

    errand::awaitable<errand::sql::result> run(std::string statement,
                                               std::vector<errand::sql::value> values) override {
        by_(statement);
        return in_->run(std::move(statement), std::move(values));
    }
    bool usable() const noexcept override { return in_->usable(); }

private:
    std::unique_ptr<errand::sql::session> in_;
    const ear& by_;
};

class heard_driver final : public errand::sql::driver {
public:
    heard_driver(std::unique_ptr<errand::sql::driver> of, const ear& by) : of_{std::move(of)}, by_{by} {}

    std::string_view name() const noexcept override { return of_->name(); }
    const std::string& shown_url() const noexcept override { return of_->shown_url(); }
    bool blocks() const noexcept override { return of_->blocks(); }
    errand::awaitable<std::unique_ptr<errand::sql::session>> connect(boost::asio::io_context& on) override {
        auto made = co_await of_->connect(on);
        co_return std::make_unique<heard_session>(std::move(made), by_);
    }

private:
    std::unique_ptr<errand::sql::driver> of_;
    const ear& by_;
};

put_between heard_by(const ear& by) {
    return {.database = [&by](std::unique_ptr<errand::sql::driver> in) {
        return std::make_unique<heard_driver>(std::move(in), by);
    }};
}

errand::submission_item long_line(const std::string& number, errand::time_point now, errand::duration in) {
    auto item = line_due(number, now, in);
    errand::task_body body = errand::decode_body(item.body);
    body.args = "[\"" + std::string(10'000, 'x') + "\"]";
    item.body = errand::encode(body);
    return item;
}

}  // namespace

TEST_CASE("two programs import over many days at once, each line once", "[shelf][shared_by_apps]") {
    shelf_desk d;
    constexpr int days = 120;
    std::array<std::unique_ptr<shelf_by_hand>, 2> programs;
    for (auto& one : programs) one = std::make_unique<shelf_by_hand>(d);
    CHECK(d.on_shelf() == 0);
    std::vector<std::future<std::size_t>> both;
    for (std::size_t which = 0; which < programs.size(); ++which) {
        both.push_back(std::async(std::launch::async, [&, which] {
            auto& by = *programs.at(which);
            std::vector<errand::submission_item> lines;
            for (int n = 0; n < 2 * days; ++n)
                lines.push_back(line_due(std::to_string(which) + ' ' + std::to_string(n), by.on->now(),
                                         24h * (5 + n * 7 % days)));
            const auto answers =
                errand::test::await(by.io, by.on->submit(0, lines, errand::submit_mode::each));
            std::size_t own = 0;
            for (std::size_t n = 0; n < lines.size(); ++n) {
                const bool taken = answers.at(n).verdict == submit_verdict::accepted;
                own += taken && answers[n].life == errand::incarnation_of(lines[n].body) ? 1U : 0U;
            }
            return own;
        }));
    }
    for (auto& one : both) CHECK(one.get() == 2 * days);
    CHECK(d.on_shelf() == std::size_t{4} * days);
    const auto kept = d.t.run(d.t.app.inspect().shelf());
    REQUIRE(kept);
    for (const auto& [day, rows] : kept->days) CHECK(rows == 4);
}

// As PostgreSQL tells of two programs that make the same table the one that comes later.
TEST_CASE("that tables of days are made by another program just then fails no import", "[shelf]") {
    shelf_desk d;
    auto db = errand::test::open_database(d.t.app, d.url, {.install = false});
    const ear by_makes = [&](const std::string& statement) {
        if (!statement.starts_with("CREATE") || statement.find("errand_shelf_1_d") == std::string::npos)
            return;
        d.t.run(db->execute(statement));
        throw errand::database_error{"another one has its name", "23505"};
    };
    shelf_by_hand by{d, heard_by(by_makes)};
    std::vector<errand::submission_item> lines;
    for (int n = 0; n < 12; ++n) lines.push_back(line_due(std::to_string(n), by.on->now(), 24h * (5 + n)));
    const auto answers = errand::test::await(by.io, by.on->submit(0, lines, errand::submit_mode::each));
    for (const auto& one : answers) CHECK(one.verdict == submit_verdict::accepted);
    CHECK(d.on_shelf() == lines.size());
}

TEST_CASE("of a line that was shelved only the shelf forgets, and only that life of it", "[shelf]") {
    shelf_desk d;
    std::size_t forgotten = 0;
    shelf_by_hand by{d, {.store = [&](std::unique_ptr<errand::store> in) {
                         return std::make_unique<forgetful_store>(std::move(in), forgotten);
                     }}};
    const auto item = line_due("1", by.on->now(), 5 * 24h);
    const auto life = errand::incarnation_of(item.body);
    CHECK(send(by, item).verdict == submit_verdict::accepted);
    const auto forget = [&](const errand::task_id& id, errand::incarnation which) {
        const std::array gone{errand::delivered_task{id, which, true}};
        errand::test::await(by.io, by.on->forget(gone));
    };
    const auto known = [&] {
        errand::shelf::crossings calls;
        return errand::test::await(by.io,
                                   calls.call(by.rows->thread(), [&] { return by.rows->arrived({item.id}); }))
            .size();
    };
    forget(item.id, life + 1);
    CHECK(forgotten == 1);
    CHECK(known() == 1);
    forget(item.id, life);
    CHECK(forgotten == 1);
    CHECK(known() == 0);
}

// Of a machine that vanishes the database would keep the locks for hours.
TEST_CASE("each transaction of an import on the shelf is bounded", "[shelf][served]") {
    shelf_desk d;
    std::mutex guard;
    std::vector<std::string> heard;
    const ear by_all = [&](const std::string& statement) {
        const std::lock_guard lock{guard};
        heard.push_back(statement);
    };
    shelf_by_hand by{d, heard_by(by_all)};
    const auto item = line_due("1", by.on->now(), 5 * 24h);
    CHECK(send(by, item).verdict == submit_verdict::accepted);
    const std::array gone{errand::delivered_task{item.id, errand::incarnation_of(item.body), true}};
    errand::test::await(by.io, by.on->forget(gone));
    std::size_t begun = 0;
    const std::lock_guard lock{guard};
    for (std::size_t at = 0; at + 1 < heard.size(); ++at) {
        if (heard[at] != "BEGIN" && heard[at] != "START TRANSACTION") continue;
        ++begun;
        CHECK(heard[at + 1].find("idle") != std::string::npos);
    }
    CHECK(begun == 2);
}

// Where rows are locked nobody can.
TEST_CASE("a row that changes while its long body is read ends no look at the shelf", "[shelf]") {
    if (errand::test::database_kind() != "sqlite") return;
    shelf_desk d;
    std::function<void()> meanwhile;
    const ear by_reads = [&](const std::string& statement) {
        const bool reads = statement.find("due_at, body FROM errand_shelf_1_d") != std::string::npos &&
                           statement.find("id IN") != std::string::npos;
        if (auto now = reads ? std::exchange(meanwhile, nullptr) : nullptr) now();
    };
    shelf_by_hand by{d, heard_by(by_reads)};
    const auto item = long_line("1", by.on->now(), 5 * 24h), next = line_due("2", by.on->now(), 6 * 24h);
    CHECK(send(by, item).verdict == submit_verdict::accepted);
    CHECK(send(by, next).verdict == submit_verdict::accepted);
    auto db = errand::test::open_database(d.t.app, d.url, {.install = false});
    const auto table = d.table_of(errand::shelf_day(*item.at));
    std::string change;
    SECTION("when it goes") { change = "DELETE FROM " + table; }
    SECTION("when another of its name comes") { change = "UPDATE " + table + " SET due_at = due_at + 1"; }
    meanwhile = [&] { d.t.run(db->execute(change)); };
    const auto of = std::make_shared<errand::shelf_pass>();
    of->rows = 1;
    while (!of->over) errand::test::await(by.io, by.on->fetch_shelved(of));
    CHECK_FALSE(meanwhile);
    CHECK(d.in_store(errand::to_text(next.id)));
    const auto brought = d.t.run(d.t.app.find(errand::to_text(item.id)));
    if (change.starts_with("UPDATE")) {
        REQUIRE(brought);
        CHECK(brought->due_at == *item.at + 1ms);
    } else {
        CHECK_FALSE(brought);
    }
}

TEST_CASE(
    "what may come again and was on the shelf is known there until it is forgotten, whatever has become of it",
    "[shelf][shared_by_apps]") {
    shelf_desk d;
    shelf_by_hand by{d};
    auto item = line_due("1", by.on->now(), 5 * 24h);
    const auto life = errand::incarnation_of(item.body);
    CHECK(send(by, item).verdict == submit_verdict::accepted);
    CHECK(d.on_shelf() == 1);
    CHECK(send(by, item).life == life);
    CHECK(d.on_shelf() == 1);
    bring_and_forget(d, item);
    SECTION("while it is for the shelf") {
        CHECK(send(by, item).life == life);
        CHECK(d.on_shelf() == 0);
    }
    SECTION("when it is due soon") {
        item.for_shelf = false;
        const auto again = send(by, item);
        CHECK(again.verdict == submit_verdict::duplicate);
        CHECK(again.life == life);
    }
    CHECK_FALSE(d.in_store(errand::to_text(item.id)));
    const std::array gone{errand::delivered_task{item.id, life, true}};
    errand::test::await(by.io, by.on->forget(gone));
    item.for_shelf = true;
    CHECK(send(by, item).verdict == submit_verdict::accepted);
    CHECK(d.on_shelf() == 1);
}

TEST_CASE("what came before is known when another task has its name since", "[shelf]") {
    shelf_desk d;
    shelf_by_hand by{d};
    const auto item = line_due("1", by.on->now(), 5 * 24h);
    CHECK(send(by, item).verdict == submit_verdict::accepted);
    bring_and_forget(d, item);
    CHECK(submit(d.t, item_under(item.id, errand::on_conflict::keep, 1min)) == submit_verdict::accepted);
    CHECK(send(by, item).life == errand::incarnation_of(item.body));
}

TEST_CASE("what may come again and is in the store does not go on the shelf when it comes again", "[shelf]") {
    shelf_desk d;
    shelf_by_hand by{d};
    auto item = line_due("1", by.on->now(), 5 * 24h);
    const auto life = errand::incarnation_of(item.body);
    item.for_shelf = false;
    CHECK(send(by, item).verdict == submit_verdict::accepted);
    CHECK(d.t.run(d.t.app.inspect().remove(errand::to_text(item.id))));
    item.for_shelf = true;
    CHECK(send(by, item).life == life);
    CHECK(d.on_shelf() == 0);
}
