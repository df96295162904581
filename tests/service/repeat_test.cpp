// Calls that come again, as those of a client do that has not heard the answer: of each row of both route tables.
#include "service/flow/routes.hpp"
#include "service/table_rows.hpp"

#include <boost/json/value.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

using service_test::row;
namespace web = errand::web;

namespace {

std::map<std::pair<std::string, errand::state>, std::size_t> tasks_of(service_test::counter& t) {
    std::map<std::pair<std::string, errand::state>, std::size_t> all;
    for (const auto& queue : t.run(t.app.inspect().queues())) {
        for (const auto& [where, n] : queue.tasks) all[{queue.name, where}] += n;
    }
    return all;
}

}  // namespace

TEST_CASE("a call that comes again is answered, and has done what one call does", "[service]") {
    for (const auto& one : web::routes()) {
        row r{one};
        INFO(one.method << ' ' << one.path);
        std::vector<std::string> headers;
        if (r.example.may_carry_key) headers.push_back("Idempotency-Key: k-1");
        const auto ask = [&] {
            auto at = r.t.connect();
            return at.ask(one.method, r.path() + r.example.query, r.example.body, headers);
        };
        const auto first = ask();
        CHECK(first.status == r.example.status);
        const auto before = tasks_of(r.t);
        const auto second = ask();
        INFO(second.body);
        CHECK(second.status == (r.example.again == 0 ? r.example.status : r.example.again));
        CHECK((tasks_of(r.t) == before) != r.example.counts_each_time);
        if (one.name == "submit_task") CHECK(second.json().at("id") == first.json().at("id"));
    }
}
