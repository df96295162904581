// How much is taken from the shelf at once.
#include "shelf/crossing.hpp"
#include "shelf_by_hand.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <algorithm>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

using namespace std::chrono_literals;
using namespace committed;
using errand::shelf::shelved_task;

namespace {

// On the board's own thread.
template <class Work>
auto on_board(shelf_by_hand& by, Work work) {
    errand::shelf::crossings calls;
    return errand::test::await(by.io, calls.call(by.rows->thread(), std::move(work)));
}

shelved_task row_with(std::size_t bytes, errand::time_point due) {
    errand::task_body body;
    body.queue = "default";
    body.handler = "committed::soon_free";
    body.args = "[\"" + std::string(bytes, 'x') + "\"]";
    body.life = errand::random_bits();
    return {errand::new_task_id(due.time_since_epoch().count()), due, errand::encode(body)};
}

// One behind the other.
std::vector<shelved_task> rows_with(const std::vector<std::size_t>& bytes, errand::time_point first) {
    std::vector<shelved_task> all;
    for (const auto one : bytes)
        all.push_back(row_with(one, first + errand::duration{static_cast<std::int64_t>(all.size())}));
    return all;
}

void put(shelf_by_hand& by, const std::vector<shelved_task>& rows) {
    for (const auto& one : rows) {
        on_board(by, [&] { return by.rows->put({one}); });
    }
}

std::size_t bytes_of(const errand::sql::result& rows) {
    std::size_t all = 0;
    for (const auto& row : rows.rows) {
        for (const auto& cell : row) {
            if (const auto* bytes = std::get_if<errand::sql::bytes>(&cell)) all += bytes->size();
        }
    }
    return all;
}

// What was read by transactions, or to be struck off by them, that have not ended.
struct scales {
    void add(std::size_t bytes) {
        const std::lock_guard lock{guard};
        now += bytes;
        most = std::max(most, now);
    }
    void take_away(std::size_t bytes) {
        const std::lock_guard lock{guard};
        now -= bytes;
    }

    std::mutex guard{};
    std::size_t now = 0, most = 0;
};

class weighed_session final : public errand::sql::session {
public:
    weighed_session(std::unique_ptr<errand::sql::session> in, scales& on) : in_{std::move(in)}, on_{on} {}
    ~weighed_session() override { clear(); }

    errand::awaitable<errand::sql::result> run(std::string statement,
                                               std::vector<errand::sql::value> values) override {
        const bool begins_or_ends = !statement.starts_with("SELECT") && !statement.starts_with("DELETE");
        auto got = co_await in_->run(std::move(statement), std::move(values));
        if (begins_or_ends) clear();
        read_ += bytes_of(got);
        on_.add(bytes_of(got));
        co_return got;
    }
    bool usable() const noexcept override { return in_->usable(); }

private:
    void clear() { on_.take_away(std::exchange(read_, 0)); }

    std::unique_ptr<errand::sql::session> in_;
    scales& on_;
    std::size_t read_ = 0;
};

class weighed_driver final : public errand::sql::driver {
public:
    weighed_driver(std::unique_ptr<errand::sql::driver> of, scales& on) : of_{std::move(of)}, on_{on} {}

    std::string_view name() const noexcept override { return of_->name(); }
    const std::string& shown_url() const noexcept override { return of_->shown_url(); }
    bool blocks() const noexcept override { return of_->blocks(); }
    errand::awaitable<std::unique_ptr<errand::sql::session>> connect(boost::asio::io_context& on) override {
        auto made = co_await of_->connect(on);
        co_return std::make_unique<weighed_session>(std::move(made), on_);
    }

private:
    std::unique_ptr<errand::sql::driver> of_;
    scales& on_;
};

}  // namespace

TEST_CASE("a page of the shelf ends where its bodies become too long, and has one row in any case",
          "[shelf]") {
    shelf_desk d;
    shelf_by_hand by{d};
    CHECK(errand::test::await(by.io, by.on->look_at_shelf())->days.empty());
    const auto due = by.on->now() + 24h;
    const auto rows = rows_with({10, 10, 300'000, 10, 300'000, 300'000, 300'000, 10}, due);
    put(by, rows);
    const auto take = [&](errand::shelf::row_place behind, errand::shelf::page_limit most) {
        return on_board(by, [&by, until = due + 1h, behind, most] {
            return by.rows->take_due(until, behind, most);
        });
    };
    const auto place_of = [](const shelved_task& one) {
        return errand::shelf::row_place{one.due.time_since_epoch().count(), std::string{one.id.view()}};
    };
    SECTION("in the order in which they fall due") {
        auto page = take({}, {500, 1'000'000});
        REQUIRE(page);
        REQUIRE(page->tasks.size() == 6);
        CHECK(page->left.size() == 2);
        std::size_t bytes = 0;
        std::set<errand::task_id> ids;
        for (std::size_t at = 0; at < page->tasks.size(); ++at) {
            CHECK(page->tasks[at].id == rows[at].id);
            CHECK(page->tasks[at].body == rows[at].body);
            bytes += rows[at].body.size();
            ids.insert(rows[at].id);
        }
        CHECK(page->bytes == bytes);
        const auto struck = [&] { return by.rows->strike(std::move(page), ids); };
        CHECK(on_board(by, struck) == 6);
        auto rest = take(place_of(rows[5]), {500, 1'000'000});
        REQUIRE(rest);
        CHECK(rest->tasks.size() == 2);
        CHECK(rest->left.empty());
    }
    SECTION("where a single one is too long") {
        auto page = take(place_of(rows[3]), {500, 1000});
        REQUIRE(page);
        REQUIRE(page->tasks.size() == 1);
        CHECK(page->tasks[0].body == rows[4].body);
        CHECK(page->left.size() == 3);
    }
    SECTION("of rows that are taken by their ids as well") {
        std::vector<errand::task_id> ids;
        for (const auto& one : rows) ids.push_back(one.id);
        auto page = on_board(by, [&] { return by.rows->take(ids, by.on->now(), 500'000); });
        REQUIRE(page);
        CHECK(page->tasks.size() + page->left.size() == rows.size());
        CHECK(page->bytes <= 500'000);
        CHECK(std::ranges::none_of(page->tasks, [](const auto& one) { return one.body.empty(); }));
    }
}

// A place in the order may stand for several ids, or for none.
TEST_CASE("pages of the shelf meet each of those that are due at one time once, whatever their ids are",
          "[shelf]") {
    shelf_desk d;
    shelf_by_hand by{d};
    const auto due = std::chrono::floor<errand::duration>(by.on->now()) + 5 * 24h;
    std::set<errand::task_id> ids;
    const auto add = [&](std::string bytes) {
        bytes.resize(16, bytes.back());
        const auto id = errand::task_id::from_bytes(bytes).value();
        ids.insert(id);
        auto item = item_under(id, errand::on_conflict::keep, 0s);
        item.delay.reset();
        item.at = due;
        item.for_shelf = item.asks_shelf = true;
        CHECK(errand::test::await(by.io, by.on->submit(0, {&item, 1}, errand::submit_mode::each))
                  .at(0)
                  .verdict == errand::submit_verdict::accepted);
    };
    for (const char byte : {'\0', '\x7f', '\x80', '\xff'}) {
        add(std::string(1, byte));
        // That are told apart before, and behind, what is in the number of a place.
        add(std::string(8, byte) + '\1');
        add('\1' + std::string(7, byte) + '\2');
    }
    const auto pages = [&](auto next) {
        std::multiset<errand::task_id> seen;
        for (std::size_t looks = 0; looks < 2 * ids.size(); ++looks) {
            if (const auto id = next()) seen.insert(*id);
        }
        CHECK(seen == std::multiset<errand::task_id>(ids.begin(), ids.end()));
    };
    SECTION("in lists") {
        const bool newest_first = GENERATE(false, true);
        const auto from = GENERATE(std::optional<bool>{}, std::optional{false}, std::optional{true});
        errand::list_call call{.of = {.queue = {}, .name = "shelf"},
                               .where = errand::state::delayed,
                               .newest_first = newest_first,
                               .after = {},
                               .limit = 1};
        // From this moment on, or from behind it.
        if (from) call.from = errand::list_place{.order = due, .behind = *from};
        if (from && *from) {
            CHECK(errand::test::await(by.io, by.on->list(call)).items.empty());
            return;
        }
        pages([&]() -> std::optional<errand::task_id> {
            const auto page = errand::test::await(by.io, by.on->list(call));
            call.after = page.last;
            if (page.items.empty()) return std::nullopt;
            return page.items.front().task.id;
        });
    }
    SECTION("of what is due") {
        errand::shelf::row_place behind;
        pages([&]() -> std::optional<errand::task_id> {
            auto page = on_board(by, [&] { return by.rows->take_due(due, behind, {1, 1000}); });
            if (!page) return std::nullopt;
            behind = page->last;
            return page->tasks.at(0).id;
        });
    }
    for (const auto& id : ids) CHECK(errand::test::await(by.io, by.on->find(id)));
    test_app brings{d.eager()};
    CHECK(fetch_all(brings) == ids.size());
    CHECK(d.on_shelf() == 0);
}

TEST_CASE("long bodies come from the shelf each once, a few of them at a time", "[shelf]") {
    shelf_desk d;
    scales on;
    shelf_by_hand by{d, {.database = [&on](std::unique_ptr<errand::sql::driver> in) {
                         return std::make_unique<weighed_driver>(std::move(in), on);
                     }}};
    CHECK(errand::test::await(by.io, by.on->look_at_shelf())->days.empty());
    constexpr std::size_t count = 40, bytes = 200'000, at_once = 2'048'000;
    const auto rows = rows_with(std::vector<std::size_t>(count, bytes), by.on->now() + 24h);
    put(by, rows);
    const auto in_store = [&] {
        return std::ranges::all_of(rows,
                                   [&](const auto& one) { return d.in_store(errand::to_text(one.id)); });
    };
    SECTION("because they are due") {
        const auto of = std::make_shared<errand::shelf_pass>();
        std::size_t brought = 0;
        while (!of->over) brought += errand::test::await(by.io, by.on->fetch_shelved(of));
        CHECK(brought == count);
        CHECK_FALSE(of->failure);
    }
    SECTION("because somebody awaits them") {
        std::vector<errand::watched_task> all;
        for (const auto& one : rows) all.push_back({.id = one.id});
        CHECK(errand::test::await(by.io, by.on->watch(all)).unknown.empty());
    }
    CHECK(on.most > bytes);
    CHECK(on.most < at_once + 2 * bytes);
    CHECK(d.on_shelf() == 0);
    CHECK(in_store());
}
