// What a worker that serves several namespaces brings into each of them.
#include "limits/handlers.hpp"

#include <catch2/catch_test_macros.hpp>

#include <optional>
#include <string>
#include <vector>

using namespace limits_test;
using errand::schedule_state;

namespace {

errand::config of_name_space(errand::config settings, const std::string& more) {
    settings.name_space += more;
    settings.name_spaces.clear();
    return settings;
}

std::size_t active_schedules(bench& of) {
    return of.run(of.app.schedules({.handler = "nightly", .state = schedule_state::active})).schedules.size();
}

// Two tenants, and the settings of a worker that serves both.
struct tenants {
    tenants() : first{of_name_space(settings, "-first")}, second{of_name_space(settings, "-second")} {
        settings.name_spaces = {{first.app.settings().name_space, 1}, {second.app.settings().name_space, 1}};
    }

    errand::config settings = errand::test::fresh_settings();
    bench first, second;
};

}  // namespace

TEST_CASE("limits and schedules of policies are declared in each namespace that is served, and are its own",
          "[shared_by_apps]") {
    tenants t;
    auto& first = t.first;
    auto& second = t.second;
    bench server{t.settings};
    server.start();
    for (auto* of : {&first, &second}) {
        CHECK(of->limit("handler:pair_of").rule().max_running == 2);
        CHECK(active_schedules(*of) == 1);
    }
    CHECK(server.run(server.app.limits()).empty());
    CHECK(active_schedules(server) == 0);
    first.run(first.app.set_limit("handler:pair_of", {.max_running = 1}));
    CHECK(first.limit("handler:pair_of").rule().max_running == 1);
    CHECK(second.limit("handler:pair_of").rule().max_running == 2);
    server.stop();
}

TEST_CASE("tasks that wait for others under their own limit go on in each namespace, with one slot for all",
          "[shared_by_apps]") {
    tenants t;
    t.settings.concurrency = 1;
    bench server{t.settings};
    server.start();
    std::vector<errand::handle<int>> of_first, of_second;
    for (int n = 0; n < 3; ++n) {
        of_first.push_back(t.first.run(t.first.app.handler<nest>().perform_async(3)));
        of_second.push_back(t.second.run(t.second.app.handler<nest>().perform_async(3)));
    }
    for (const auto& h : of_first) CHECK(t.first.wait(h) == 3);
    for (const auto& h : of_second) CHECK(t.second.wait(h) == 3);
    server.stop();
    for (auto* of : {&t.first, &t.second}) CHECK(of->limit("handler:nest").running == 0);
}
