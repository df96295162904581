// Which rows a courier sends together, and which it lets wait, told without a store: the shard of a row is the last byte of its
// id, and what it depends on is concerned too.
#include "outbox/delivery_lanes.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

using namespace errand;
using errand::detail::delivery_lanes;
using errand::detail::lane_bounds;

namespace {

task_id id_in_lanes(char name, unsigned char shard) {
    task_id id;
    id.bytes[0] = static_cast<unsigned char>(name);
    id.bytes[15] = shard;
    return id;
}

shard_set shards_concerned(const outbox_entry& one) {
    std::set<std::size_t> all{one.item.id.bytes[15]};
    for (const auto& parent : one.item.after) all.insert(parent.id.bytes[15]);
    return {all.begin(), all.end()};
}

outbox_entry row_for(char name, unsigned char shard, const std::vector<task_id>& after = {}) {
    outbox_entry one;
    one.item.id = id_in_lanes(name, shard);
    for (const auto& parent : after) one.item.after.push_back({parent, true});
    one.task = std::make_shared<errand::detail::held_task>();
    one.task->what.id = one.item.id;
    return one;
}

outbox_entry awaited_row(char name, unsigned char shard) {
    auto one = row_for(name, shard);
    one.task->biz_id = "order";
    return one;
}

struct lane_books {
    using need = delivery_lanes::need;

    explicit lane_books(lane_bounds most = {}, std::size_t shards = 3)
        : lanes{shards, shards_concerned, most} {}

    // One commit. What its lanes need.
    std::map<shard_set, need> put(std::vector<outbox_entry> commit) {
        ++commits;
        for (auto& one : commit) one.batch = std::to_string(commits);
        std::map<shard_set, need> all;
        for (const auto& [of, needs] : lanes.put_in_line(std::move(commit))) {
            known[of->shards] = of;
            all[of->shards] = needs;
        }
        return all;
    }
    delivery_lanes::lane& at(const shard_set& shards) { return *known.at(shards); }
    // The names of what leaves now; "ended" when its delivery has.
    std::string fetch(const shard_set& shards) {
        auto& of = at(shards);
        if (!lanes.fetch(of)) return "ended";
        std::string names;
        for (const auto& one : of.on_way) names += static_cast<char>(one.item.id.bytes[0]);
        return names;
    }
    void took_all(const shard_set& shards) { lanes.answered(at(shards), {}); }

    delivery_lanes lanes;
    int commits = 0;
    std::map<shard_set, delivery_lanes::lane*> known;  // that had something to be done
};

using lane_needs = std::map<shard_set, delivery_lanes::need>;

}  // namespace

TEST_CASE("rows of one shard leave in the order of their commits, what comes meanwhile with the next call") {
    lane_books b;
    b.put({row_for('a', 1)});
    b.put({row_for('c', 1), row_for('b', 1)});
    CHECK(b.fetch({1}) == "acb");
    b.put({row_for('d', 1)});
    b.took_all({1});
    CHECK(b.fetch({1}) == "d");
    b.took_all({1});
    CHECK(b.fetch({1}) == "ended");
}

TEST_CASE("a lane needs a call when it has none, and haste for a row that is awaited or for many") {
    using need = delivery_lanes::need;
    lane_books b{lane_bounds{.worth_a_call = 3}};
    CHECK(b.put({row_for('a', 0)}) == lane_needs{{{0}, need::call}});
    CHECK(b.put({row_for('b', 0)}).empty());
    CHECK_FALSE(b.lanes.is_urgent(b.at({0})));
    CHECK(b.put({row_for('c', 0)}) == lane_needs{{{0}, need::haste}});
    CHECK(b.lanes.is_urgent(b.at({0})));
    CHECK(b.fetch({0}) == "abc");
    CHECK_FALSE(b.lanes.is_urgent(b.at({0})));
    // Beside a call that is under way.
    CHECK(b.put({row_for('d', 0)}).empty());
    CHECK(b.put({awaited_row('e', 0)}) == lane_needs{{{0}, need::haste}});
    CHECK(b.lanes.is_urgent(b.at({0})));
    b.took_all({0});
    CHECK(b.fetch({0}) == "de");
    CHECK_FALSE(b.lanes.is_urgent(b.at({0})));
    b.took_all({0});
    CHECK(b.fetch({0}) == "ended");
    CHECK(b.put({row_for('f', 0)}) == lane_needs{{{0}, need::call}});
}

TEST_CASE("of a commit each lane needs what is most urgent") {
    using need = delivery_lanes::need;
    lane_books b;
    CHECK(b.put({row_for('a', 0), awaited_row('b', 0), row_for('c', 1)}) ==
          lane_needs{{{0}, need::call}, {{1}, need::call}});
    CHECK(b.put({row_for('d', 0), awaited_row('e', 0), row_for('f', 1)}) == lane_needs{{{0}, need::haste}});
}

TEST_CASE("a row that concerns two shards has a lane of its own, and holds up neither of theirs") {
    lane_books b;
    b.put({row_for('a', 0), row_for('b', 1, {id_in_lanes('x', 0)}), row_for('c', 1)});
    CHECK(b.fetch({0}) == "a");
    CHECK(b.fetch({1}) == "c");
    CHECK(b.fetch({0, 1}) == "b");
}

TEST_CASE("a row leaves after what it depends on, by a lane of all shards that the two concern") {
    lane_books b;
    b.put({row_for('a', 0)});
    b.put({row_for('b', 1, {id_in_lanes('a', 0)})});
    b.put({row_for('c', 2, {id_in_lanes('b', 1)})});
    // By itself it concerns the last two shards alone.
    CHECK(b.fetch({0, 1, 2}).empty());
    CHECK(b.fetch({0, 1}).empty());
    CHECK(b.fetch({0}) == "a");
    CHECK(b.fetch({0, 1}).empty());
    b.took_all({0});
    CHECK(b.fetch({0, 1}) == "b");
    CHECK(b.fetch({0, 1, 2}).empty());
    b.took_all({0, 1});
    CHECK(b.fetch({0, 1, 2}) == "c");
}

TEST_CASE("rows behind one that has to wait stay behind it") {
    lane_books b;
    b.put({row_for('a', 0)});
    b.put({row_for('b', 1, {id_in_lanes('x', 0)}), row_for('c', 1, {id_in_lanes('a', 0)}),
           row_for('d', 1, {id_in_lanes('x', 0)})});
    CHECK(b.fetch({0, 1}) == "b");
    b.took_all({0, 1});
    CHECK(b.fetch({0, 1}).empty());
    CHECK(b.fetch({0}) == "a");
    b.took_all({0});
    CHECK(b.fetch({0, 1}) == "cd");
}

TEST_CASE("rows of one id leave in their order, whatever lanes they are in") {
    lane_books b;
    b.put({row_for('a', 1)});
    b.put({row_for('a', 1, {id_in_lanes('x', 0)})});
    CHECK(b.fetch({0, 1}).empty());
    // The first one does not wait for the second.
    CHECK(b.fetch({1}) == "a");
    CHECK(b.fetch({0, 1}).empty());
    // Only its own row is answered with it.
    b.took_all({1});
    CHECK(b.fetch({0, 1}) == "a");
    // The next one concerns what this one does, while it is not answered; and then no more.
    CHECK(b.put({row_for('a', 1)}).empty());
    b.took_all({0, 1});
    CHECK(b.fetch({0, 1}) == "a");
    b.took_all({0, 1});
    CHECK(b.fetch({0, 1}) == "ended");
    b.put({row_for('a', 1)});
    CHECK(b.fetch({1}) == "a");
}

TEST_CASE("what depends on a row that stayed in the outbox stays there, and what depends on that") {
    lane_books b;
    b.put({row_for('a', 2), row_for('z', 2)});
    CHECK(b.fetch({2}) == "az");
    const std::vector stay{row_for('b', 1, {id_in_lanes('a', 2)}), row_for('c', 0, {id_in_lanes('b', 1)}),
                           row_for('a', 2)};
    b.put(stay);
    b.put({row_for('d', 0, {id_in_lanes('z', 2)}), row_for('e', 2)});
    b.lanes.answered(b.at({2}), {id_in_lanes('a', 2)});
    CHECK(b.fetch({0, 1, 2}) == "ended");
    CHECK(b.fetch({1, 2}) == "ended");
    CHECK(b.fetch({2}) == "e");
    CHECK(b.fetch({0, 2}) == "d");
    for (const auto& one : stay) CHECK_FALSE(b.lanes.has(*one.task));
    // They are in nobody's way.
    b.put({row_for('b', 1)});
    CHECK(b.fetch({1}) == "b");
}

TEST_CASE("of a call that failed all rows stay in the outbox, and what depends on any of them") {
    lane_books b;
    b.put({row_for('a', 0), row_for('b', 0)});
    CHECK(b.fetch({0}) == "ab");
    b.put({row_for('c', 1, {id_in_lanes('b', 0)}), row_for('d', 1, {id_in_lanes('a', 0)}), row_for('e', 0)});
    // Whoever brought them may have taken some out.
    b.at({0}).on_way.clear();
    b.lanes.failed(b.at({0}));
    CHECK(b.fetch({0, 1}) == "ended");
    CHECK(b.fetch({0}) == "e");
    // What an earlier call has brought is no matter of a later one.
    b.took_all({0});
    b.put({row_for('f', 0)});
    CHECK(b.fetch({0}) == "f");
    b.put({row_for('g', 1, {id_in_lanes('e', 0)})});
    b.lanes.failed(b.at({0}));
    CHECK(b.fetch({0, 1}) == "g");
}

TEST_CASE("a row is there in its line and on its way, until it is answered") {
    const auto shards = GENERATE(std::size_t{1}, std::size_t{3});
    lane_books b{lane_bounds{}, shards};
    const auto first = row_for('a', 0), second = row_for('b', 0);
    CHECK_FALSE(b.lanes.has(*first.task));
    b.put({first});
    CHECK(b.lanes.has(*first.task));
    CHECK(b.fetch({0}) == "a");
    CHECK(b.lanes.has(*first.task));
    CHECK_FALSE(b.lanes.has(*second.task));
    b.put({second});
    b.took_all({0});
    CHECK_FALSE(b.lanes.has(*first.task));
    CHECK(b.lanes.has(*second.task));
}

TEST_CASE("a lane delivers until nothing is found in its line") {
    lane_books b;
    b.put({row_for('a', 0), row_for('b', 1)});
    CHECK(b.lanes.delivering() == std::vector<const delivery_lanes::lane*>{&b.at({0}), &b.at({1})});
    CHECK(b.fetch({0}) == "a");
    b.took_all({0});
    CHECK(b.lanes.delivering().size() == 2);
    CHECK(b.fetch({0}) == "ended");
    CHECK(b.lanes.delivering() == std::vector<const delivery_lanes::lane*>{&b.at({1})});
}

TEST_CASE("a call takes rows up to its limit, and all of the last commit") {
    lane_books b{lane_bounds{.on_way = 2}};
    b.put({row_for('a', 0)});
    b.put({row_for('b', 0), row_for('c', 0), row_for('d', 0)});
    b.put({row_for('e', 0)});
    CHECK(b.fetch({0}) == "abcd");
    b.took_all({0});
    CHECK(b.fetch({0}) == "e");
}

TEST_CASE("a line that is full takes no more commits, and no commit is torn apart for it") {
    lane_books b{lane_bounds{.in_line = 2}};
    b.put({row_for('a', 0), row_for('b', 0)});
    b.put({row_for('c', 0), row_for('d', 0), row_for('e', 0)});
    const auto left = row_for('f', 0);
    // What depends on a row that is left is left too, whatever room there is; the rest is not.
    b.put({left, row_for('g', 1, {left.item.id}), row_for('h', 1)});
    CHECK_FALSE(b.lanes.has(*left.task));
    CHECK_FALSE(b.known.contains({0, 1}));
    CHECK(b.fetch({1}) == "h");
    CHECK(b.fetch({0}) == "abcde");
    b.put({row_for('i', 0)});
    b.took_all({0});
    CHECK(b.fetch({0}) == "i");
}

TEST_CASE("while too many rows wait in all lines only a lane without any takes one") {
    lane_books b{lane_bounds{.in_lines = 3}};
    b.put({row_for('a', 0), row_for('b', 0)});
    b.put({row_for('c', 1)});
    b.put({row_for('d', 1), row_for('e', 1)});
    b.put({row_for('f', 0), row_for('g', 1), row_for('h', 2), row_for('i', 2)});
    CHECK(b.fetch({2}) == "hi");
    CHECK(b.fetch({0}) == "ab");
    // What is on its way waits no longer.
    b.put({row_for('j', 1)});
    CHECK(b.fetch({1}) == "cdej");
}

TEST_CASE("what is left in the outbox, or given up, makes room for others") {
    lane_books b{lane_bounds{.in_lines = 1}};
    b.put({row_for('a', 0)});
    CHECK(b.fetch({0}) == "a");
    const bool left = GENERATE(true, false);
    b.put({row_for('b', 1, {id_in_lanes('a', 0)}), row_for('c', 1, {id_in_lanes('a', 0)})});
    if (left) {
        b.lanes.failed(b.at({0}));
    } else {
        b.lanes.give_up(b.at({0, 1}));
    }
    CHECK(b.fetch({0, 1}) == "ended");
    b.put({row_for('d', 2)});
    b.put({row_for('e', 2)});
    b.put({row_for('f', 2), row_for('g', 2)});
    CHECK(b.fetch({2}) == "de");
}

TEST_CASE("when there are lanes enough, rows of several shards without one leave by the lane of all shards") {
    lane_books b{lane_bounds{.lanes = 2}, 4};
    b.put({row_for('a', 0, {id_in_lanes('x', 1)}), row_for('b', 1, {id_in_lanes('x', 2)})});
    b.put({row_for('c', 0, {id_in_lanes('x', 2)})});
    CHECK(b.fetch({0, 1, 2, 3}) == "c");
    // Those of one shard always have theirs, and what has one keeps it.
    b.put({row_for('d', 3), row_for('e', 0, {id_in_lanes('x', 1)})});
    CHECK(b.fetch({3}) == "d");
    CHECK(b.fetch({0, 1}) == "ae");
    CHECK(b.fetch({1, 2}) == "b");
}

TEST_CASE("lanes that were stopped take nothing any more") {
    lane_books b;
    const auto one = row_for('a', 0);
    b.lanes.stop();
    CHECK(b.put({one}).empty());
    CHECK_FALSE(b.lanes.has(*one.task));
}
