// Two servers, of which the one with the second shard goes away, and a store that waits for it as workers' do.
#pragma once

#include "store/shards/sharded_store.hpp"
#include "support/redis_server.hpp"
#include "support/store_fixture.hpp"
#include "support/three_shards.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace away_test {

using namespace std::chrono_literals;
using errand::test::await;

inline constexpr std::size_t away_shard = 1;

// Two servers, the second of which can go away: it has the second shard, the other one all others.
struct two_servers {
    explicit two_servers(std::size_t count = 2) : shards{count} {}

    const std::size_t shards;
    errand::test::redis_server other{{.append_only = true}};
    errand::config settings = made();

    errand::config made() {
        auto all = errand::test::fresh_settings();
        all.store += "," + other.url();
        all.shards = shards;
        all.lease = 3s;
        return all;
    }
    errand::task_id id_on(std::size_t shard) const {
        for (;;) {
            const auto id = errand::new_task_id(1'763'000'000'000);
            if (errand::shards::shard_of(id, shards) == shard) return id;
        }
    }
    std::string key(const std::string& part, std::size_t shard) const {
        return "errand:{" + settings.name_space + '.' + std::to_string(shard) + "}:" + part;
    }
};

struct listener : errand::test::heard {
    std::vector<std::pair<errand::task_id, errand::report_verdict>> answered;
    std::set<int> calls;  // in which these came: it is woken after each
    void report_answered(const errand::task_id& id, errand::claim_number,
                         errand::report_verdict verdict) override {
        answered.emplace_back(id, verdict);
        calls.insert(wakes);
    }
};

// A store that waits for ever, as workers' do.
struct connected {
    connected(boost::asio::io_context& io, const two_servers& on, const std::string& name) {
        std::vector<std::unique_ptr<errand::store>> shards;
        errand::store_settings with;
        with.name_space = on.settings.name_space;
        with.name = name;
        with.shards = static_cast<unsigned>(on.shards);
        with.patience = std::nullopt;
        with.trouble = [this](std::string_view text) { troubles.emplace_back(text); };
        while (shards.size() < on.shards) {
            with.url = shards.size() == away_shard ? on.other.url() : errand::test::shared_redis().url();
            with.shard = static_cast<unsigned>(shards.size());
            shards.push_back(errand::make_redis_store(io, with));
        }
        of = std::make_unique<errand::sharded_store>(std::move(shards), with);
        of->listen(&ear);
    }
    std::vector<std::string> troubles;
    listener ear;
    std::unique_ptr<errand::sharded_store> of;
};

struct store_desk : two_servers {
    explicit store_desk(std::size_t count = 2) : two_servers{count} {}

    boost::asio::io_context io{1};
    connected worker{io, *this, "w"};
    ~store_desk() {
        worker.of->close();
        io.restart();
        io.run();
    }
    void submit(const errand::task_id& id) {
        const auto item = errand::test::item_with(id, "x");
        await(io, worker.of->submit(0, {&item, 1}, errand::submit_mode::each));
    }
    errand::work_answer work(std::vector<errand::report> reports = {}, std::size_t limit = 0) {
        errand::work_call call;
        std::set<errand::claim_number> claims;
        for (const auto& one : reports) claims.insert(one.claim);
        call.closed.assign(claims.begin(), claims.end());
        call.reports = std::move(reports);
        if (limit > 0) call.claim = {{"default"}, limit, 30s};
        return await(io, worker.of->work(call));
    }
};

}  // namespace away_test
