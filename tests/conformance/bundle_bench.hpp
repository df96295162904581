// What the tests of items in bundles share: a member that puts tasks into them.
#pragma once

#include "core/bundles.hpp"
#include "support/store_fixture.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace bundle_test {

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;

struct joining_rule {
    int max_size = 10;
    duration wait{1h};
    duration grace{1h};
    std::size_t bytes = 10;
    std::string key = "a";
};

struct bundle_bench : store_fixture {
    member by = join("w");

    claimed_task taken(const task_id& id) {
        for (auto& one : claim(by, 10).claimed) {
            if (one.id == id) return one;
        }
        FAIL("it is not there to be claimed");
        return {};
    }
    task_id submitted(const std::string& args, int priority = 0) {
        auto item = item_of(args, "default", priority);
        const auto id = item.id;
        CHECK(submit(by, std::move(item)).verdict == submit_verdict::accepted);
        return id;
    }
    report joins(const claimed_task& task, const joining_rule& how) {
        joining one;
        one.key = bundle_key_of("test", "default", how.key);
        one.carrier = derive_carrier_id(one.key, task.id, task.claim);
        one.max_size = how.max_size;
        one.wait = how.wait;
        one.grace = how.grace;
        one.bytes = how.bytes;
        auto body = decode_body(task.body);
        body.args = "[]";
        body.retention = 24h;
        one.carrier_body = encode(body);
        auto said = report_of(task, report::kind::join);
        said.record = encode(one);
        return said;
    }
    // Submitted, claimed and put into its bundle.
    task_id collected(const std::string& args, const joining_rule& how = {}, int priority = 0) {
        const auto id = submitted(args, priority);
        const auto task = taken(id);
        CHECK(finish(by, {joins(task, how)}) == std::vector{report_verdict::accepted});
        CHECK(state_of(by, id) == state::waiting);
        return id;
    }
    task_id carrier_of(const task_id& item) {
        const auto found = await(io, by->find(item));
        REQUIRE(found);
        REQUIRE(found->needs.size() == 1);
        return found->needs.front();
    }
    std::vector<task_id> items_of(const task_id& carrier) {
        auto items = await(io, by->bundle(carrier, std::nullopt)).items;
        std::ranges::sort(items, {}, &bundle_item::place);
        std::vector<task_id> ids;
        for (const auto& one : items) ids.push_back(one.id);
        return ids;
    }
    void tell(const task_id& carrier, const task_id& item, const std::string& becomes) {
        const resolution told{
            .parent = carrier, .what = tidings::bundled, .cancelled = becomes, .children = {item}};
        await(io, by->resolve({&told, 1}, outcome_of(state::success)));
    }
    void promote() {
        const std::vector<std::string> queues{"default"};
        await(io, by->promote(queues, 100, outcome_of(state::expired)));
    }
};

using id_list = std::vector<task_id>;

}  // namespace bundle_test
