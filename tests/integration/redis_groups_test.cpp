// Groups hold their first tasks themselves: how that is kept in Redis, and what becomes of it where they get more.
#include "support/limit_fixture.hpp"
#include "support/redis_fixture.hpp"

#include <random>
#include <set>

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;

namespace {

struct kept_groups : ward_on<redis_fixture> {
    task_id come(const std::string& key, int priority = 0) {
        const auto item = limit_fixture::gated(limit_fixture::running("crm", key), "[]", "default", priority);
        CHECK(submit(worker, item).verdict == submit_verdict::accepted);
        return item.id;
    }
    std::vector<task_id> come_many(const std::string& key, std::size_t count, int priority = 0) {
        std::vector<submission_item> items;
        for (std::size_t i = 0; i < count; ++i)
            items.push_back(limit_fixture::gated(limit_fixture::running("crm", key), "[]", "default",
                                                 priority));
        submit_all(worker, items);
        std::vector<task_id> ids;
        for (const auto& item : items) ids.push_back(item.id);
        return ids;
    }
    std::vector<task_id> take(std::size_t most) { return limit_fixture::ids_of(claim(worker, most).claimed); }
    // How many groups hold tasks themselves, and how much stands in order: groups, and all other tasks.
    std::string few() { return redis({"SCARD", key("few")}); }
    std::string in_order() { return redis({"ZCARD", key("held")}); }
    void be_of_format(const std::string& number) { redis({"HSET", key("control"), "format", number}); }

    // As if what says of groups where they stand had been lost.
    void lose_records() {
        redis({"EVAL",
               "for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do "
               "if string.sub(field, 1, 1) == 'g' then redis.call('HDEL', KEYS[1], field) end end "
               "for _, one in ipairs(redis.call('ZRANGE', KEYS[2], '[t', '(u', 'BYLEX')) do "
               "redis.call('ZREM', KEYS[2], one) end",
               "2", key("groups"), key("held")});
    }
    // A page of what is ready and held.
    list_answer page(const std::string& after, std::size_t limit, bool newest_first) {
        const list_call call{.of = {"default", "held"},
                             .where = state::ready,
                             .newest_first = newest_first,
                             .after = after,
                             .limit = limit};
        return await(io, worker->list(call));
    }
};

using id_set = std::set<std::string>;

id_set texts_of(const std::vector<task_id>& ids) {
    id_set all;
    for (const auto& id : ids) all.emplace(id.view());
    return all;
}

}  // namespace

TEST_CASE("a group holds its first eight tasks itself, and none of those that come together as more") {
    kept_groups t;
    auto all = t.come_many("a", 7);
    all.push_back(t.come("a"));
    CHECK(t.few() == "1");
    CHECK(t.in_order() == "1");
    all.push_back(t.come("a"));
    for (const auto& id : t.come_many("a", 2)) all.push_back(id);
    CHECK(t.few() == "1");
    CHECK(t.in_order() == "4");
    CHECK(t.take(100) == all);
    CHECK(t.few() == "0");
    CHECK(t.in_order() == "0");
    all = t.come_many("a", 5);
    for (const auto& id : t.come_many("a", 4)) all.push_back(id);
    CHECK(t.in_order() == "2");
    CHECK(t.check().empty());
    CHECK(t.take(100) == all);
    all = t.come_many("a", 9);
    CHECK(t.few() == "0");
    CHECK(t.in_order() == "10");
    CHECK(t.take(100) == all);
    CHECK(t.size_of("groups") == "0");
}

TEST_CASE("who is more urgent than those that a group holds comes before them, and the last ones behind") {
    kept_groups t;
    auto plain = t.come_many("a", 8);
    plain.push_back(t.come("a"));
    auto all = t.come_many("a", 12, 5);
    all.push_back(t.come("a", 5));
    CHECK(t.few() == "1");
    // Twice as many at most.
    CHECK(t.in_order() == "7");
    plain.push_back(t.come("a"));
    all.insert(all.begin(), t.come("a", 6));
    all.insert(all.end(), plain.begin(), plain.end());
    CHECK(t.check().empty());
    auto got = t.take(20);
    for (const auto& id : t.take(100)) got.push_back(id);
    CHECK(got == all);
    CHECK(t.few() == "0");
    CHECK(t.size_of("groups") == "0");
}

TEST_CASE("a group that has lost all that it held itself goes on with the others") {
    kept_groups t;
    const auto first = t.come_many("a", 8);
    const auto others = t.come_many("a", 3);
    for (const auto& id : first) await(t.io, t.worker->cancel(id, 0, outcome_of(state::cancelled)));
    CHECK(t.few() == "0");
    CHECK(t.in_order() == "4");
    CHECK(t.check().empty());
    CHECK(t.take(100) == others);
    CHECK(t.size_of("groups") == "0");
}

TEST_CASE("in a namespace of the format before, groups hold no tasks themselves") {
    kept_groups t;
    t.be_of_format("3");
    auto all = t.come_many("a", 3);
    all.push_back(t.come("a"));
    CHECK(t.few() == "0");
    CHECK(t.in_order() == "5");
    // As one that was there before is met by who would hold them there.
    t.be_of_format("4");
    for (const auto& id : t.come_many("a", 2)) all.push_back(id);
    all.push_back(t.come("a"));
    CHECK(t.few() == "0");
    CHECK(t.check().empty());
    CHECK(t.take(100) == all);
    CHECK(t.size_of("groups") == "0");
    t.come("a");
    CHECK(t.few() == "1");
    CHECK(t.take(100).size() == 1);
    CHECK(t.few() == "0");
}

TEST_CASE(
    "who goes through what waits in groups sees all that stays there, also where what is urgent comes meanwhile") {
    for (const bool newest_first : {false, true}) {
        kept_groups t;
        id_set there;
        // More than one look at such groups finds.
        for (int key = 0; key < 200; ++key) {
            const std::size_t count = key % 40 == 0 ? 20 : key % 2 == 0 ? 1 : 4;
            there.merge(texts_of(t.come_many("k" + std::to_string(key), count)));
        }
        const auto all = there;
        std::string after;
        for (int pages = 0;; ++pages) {
            const auto got = t.page(after, 7, newest_first);
            for (const auto& one : got.items) there.erase(std::string{one.task.id.view()});
            // They put off what their groups held themselves.
            if (pages == 10) {
                for (int key = 0; key < 200; key += 5) t.come_many("k" + std::to_string(key), 16, 5);
            }
            after = got.last;
            if (!got.more) break;
            REQUIRE(pages < 1000);
        }
        CHECK(there.empty());
        CHECK(all.size() > 400);
    }
}

TEST_CASE("pages of what waits in groups give each task once") {
    kept_groups t;
    const auto all = texts_of(t.come_many("a", 8));
    id_set seen;
    std::string after;
    for (std::size_t given = 0; given < all.size();) {
        const auto got = t.page(after, 3, true);
        REQUIRE_FALSE(got.items.empty());
        for (const auto& one : got.items) CHECK(seen.emplace(one.task.id.view()).second);
        given += got.items.size();
        after = got.last;
    }
    CHECK(seen == all);
}

TEST_CASE("who cancels each page of what waits in groups before the next one is read cancels all") {
    for (const int keys : {100, 700}) {
        kept_groups t;
        for (int key = 0; key < keys; ++key) t.come_many("k" + std::to_string(key), key % 50 == 0 ? 12 : 2);
        std::string after;
        for (bool more = true; more;) {
            const auto got = t.page(after, 25, false);
            for (const auto& one : got.items)
                await(t.io, t.worker->cancel(one.task.id, 0, outcome_of(state::cancelled)));
            after = got.last;
            more = got.more;
            CHECK(after.size() < 1000);
        }
        CHECK(t.size_of("groups") == "0");
        CHECK(t.in_order() == "0");
        CHECK(t.few() == "0");
    }
}

TEST_CASE("a server that takes another one's place meanwhile passes over none of what waits in groups") {
    kept_groups t;
    id_set all;
    for (int key = 0; key < 400; ++key) all.emplace(t.come("k" + std::to_string(key)).view());
    std::string after;
    bool more = true;
    for (int pages = 1; more && pages < 100; ++pages) {
        const auto got = t.page(after, 25, false);
        for (const auto& one : got.items) all.erase(std::string{one.task.id.view()});
        after = got.last;
        more = got.more;
        if (pages != 8) continue;
        t.redis({"SAVE"});
        t.server.stop();
        t.server.restart();
    }
    CHECK(all.empty());
}

TEST_CASE("pages of what waits in groups give all that stays, while tasks are cancelled, started and come") {
    constexpr unsigned walks = 15;
    for (unsigned seed = 0; seed < walks; ++seed) {
        INFO("seed " << seed);
        kept_groups t;
        std::mt19937 random{seed};
        const auto up_to = [&](std::size_t most) {
            return std::uniform_int_distribution<std::size_t>{0, most}(random);
        };
        const std::size_t keys = std::vector<std::size_t>{5, 40, 140, 300}[up_to(3)];
        const auto come_some = [&](std::size_t of) {
            return t.come_many("k" + std::to_string(up_to(of)), 1 + up_to(up_to(9) == 0 ? 20 : 3),
                               up_to(4) == 0 ? 5 : 0);
        };
        id_set there;
        for (std::size_t i = 0; i < 2 * keys; ++i) there.merge(texts_of(come_some(keys)));
        auto awaited = there;
        const auto forget = [&](const task_id& id) {
            awaited.erase(std::string{id.view()});
            there.erase(std::string{id.view()});
        };
        const auto cancel = [&](const task_id& id) {
            await(t.io, t.worker->cancel(id, 0, outcome_of(state::cancelled)));
            forget(id);
        };
        const bool newest_first = up_to(1) == 0;
        const std::size_t limit = 1 + up_to(30);
        const std::size_t leaving = up_to(3);
        std::string after;
        for (bool more = true; more;) {
            const auto got = t.page(after, limit, newest_first);
            for (const auto& one : got.items) awaited.erase(std::string{one.task.id.view()});
            after = got.last;
            more = got.more;
            for (const auto& one : got.items) {
                if (up_to(3) < leaving) cancel(one.task.id);
            }
            // Those that have yet to come, too.
            for (std::size_t i = up_to(leaving * 5); i > 0 && !there.empty(); --i) {
                const auto place = static_cast<std::ptrdiff_t>(up_to(there.size() - 1));
                cancel(*task_id::from_bytes(*std::next(there.begin(), place)));
            }
            for (std::size_t i = up_to(2); i > 0; --i) come_some(2 * keys);
            if (up_to(5) == 0) {
                for (const auto& id : t.take(up_to(10))) forget(id);
            }
        }
        CHECK(awaited.empty());
        CHECK(t.check().empty());
    }
}

TEST_CASE(
    "pages of a few groups give what stays there once, whatever leaves and however many come meanwhile") {
    for (const bool newest_first : {false, true}) {
        kept_groups t;
        id_set there;
        for (int key = 0; key < 60; ++key) there.merge(texts_of(t.come_many("k" + std::to_string(key), 3)));
        id_set given;
        std::string after;
        bool more = true;
        for (int pages = 0; more; ++pages) {
            const auto got = t.page(after, 10, newest_first);
            for (const auto& one : got.items) {
                CHECK(given.emplace(one.task.id.view()).second);
                there.erase(std::string{one.task.id.view()});
            }
            // Redis keeps so many in another way.
            if (pages == 2) {
                for (int key = 0; key < 400; ++key) t.come("other" + std::to_string(key));
            }
            if (pages % 2 == 1 && !got.items.empty())
                await(t.io, t.worker->cancel(got.items.back().task.id, 0, outcome_of(state::cancelled)));
            after = got.last;
            more = got.more;
        }
        CHECK(there.empty());
    }
}

TEST_CASE(
    "of a group the newest come first where these are asked for, as far as the group holds them itself") {
    kept_groups t;
    const auto own = t.come_many("a", 8);
    const auto others = t.come_many("a", 4);
    std::vector<task_id> want{own.rbegin(), own.rend()};
    want.insert(want.end(), others.rbegin(), others.rend());
    std::vector<task_id> got;
    std::string after;
    for (bool more = true; more;) {
        const auto page = t.page(after, 5, true);
        for (const auto& one : page.items) got.push_back(one.task.id);
        after = page.last;
        more = page.more;
    }
    CHECK(got == want);
}

TEST_CASE("tasks behind those that their group held itself are come to when its record is lost",
          "[checkup]") {
    kept_groups t;
    auto all = texts_of(t.come_many("a", 8));
    all.merge(texts_of(t.come_many("a", 4)));
    const auto group = t.redis({"SRANDMEMBER", t.key("few")});
    t.redis({"HDEL", t.key("groups"), "g" + group});
    t.heals("stuck", "");
    CHECK((texts_of(t.take(20)) == all));
}

TEST_CASE("tasks that a group does not know to stand behind those that it holds itself are found",
          "[checkup]") {
    kept_groups t;
    auto all = t.come_many("a", 8);
    for (const auto& id : t.come_many("a", 3)) all.push_back(id);
    const auto field = "g" + t.redis({"SRANDMEMBER", t.key("few")});
    auto record = t.redis({"HGET", t.key("groups"), field});
    REQUIRE(record.ends_with('+'));
    record.pop_back();
    t.redis({"HSET", t.key("groups"), field, record});
    t.heals("stuck", "");
    CHECK(t.take(20) == all);
}

TEST_CASE("tasks in order whose group came anew without them are come to", "[checkup]") {
    kept_groups t;
    const auto others = t.come_many("a", 9);
    t.lose_records();
    const auto first = t.come("a");
    CHECK(t.take(20) == std::vector{first});
    t.heals("stuck", "");
    CHECK(t.take(20) == others);
}

TEST_CASE("a group in the list of those that hold tasks, and holds none, is taken out", "[checkup]") {
    kept_groups t;
    t.come("a");
    t.redis({"SADD", t.key("few"), "0123456789abcdef"});
    t.heals("wrong_list", "0123456789abcdef");
    CHECK(t.few() == "1");
}

TEST_CASE("a group that holds its tasks itself and is in no list of these is found", "[checkup]") {
    kept_groups t;
    const auto id = t.come("a");
    const auto group = t.redis({"SRANDMEMBER", t.key("few")});
    t.redis({"SREM", t.key("few"), group});
    t.heals("unlisted", group);
    CHECK(t.page("", 10, true).items.size() == 1);
    CHECK(t.take(10) == std::vector{id});
}

TEST_CASE("tasks that their group held itself are ready again when it is lost", "[checkup]") {
    kept_groups t;
    const auto all = t.come_many("a", 3);
    const auto group = t.redis({"SRANDMEMBER", t.key("few")});
    t.redis({"HDEL", t.key("groups"), "g" + group});
    // Nothing stands there any more: claims need not look for it, and it is not counted.
    CHECK(t.take(10).empty());
    CHECK(t.redis({"HEXISTS", t.key("stale"), "gated"}) == "0");
    CHECK(t.size_of("groups") == "0");
    t.heals("lost", t.id_text(all[1]));
    CHECK(texts_of(t.take(10)) == texts_of(all));
    CHECK(t.size_of("groups") == "0");
}

TEST_CASE("one that runs and is held by its group is held no more", "[checkup]") {
    kept_groups t;
    const auto id = t.come("a");
    const auto other = t.come("a");
    t.redis({"HSET", t.key("own"), t.id_text(id), "1:00000000"});
    t.redis({"HSET", t.key("claims"), "1:00000000", "w\n" + t.id_text(id)});
    t.redis({"ZADD", t.key("leases"), "9000000000000", "1:00000000"});
    t.heals("two_states", t.id_text(id));
    CHECK(t.take(10) == std::vector{other});
}
