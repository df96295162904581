// What a worker that serves several namespaces brings into each of them.
#include "limits/handlers.hpp"

#include <catch2/catch_test_macros.hpp>

#include <optional>
#include <string>

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

}  // namespace

TEST_CASE("limits and schedules of policies are declared in each namespace that is served, and are its own",
          "[shared_by_apps]") {
    auto settings = errand::test::fresh_settings();
    bench first{of_name_space(settings, "-first")};
    bench second{of_name_space(settings, "-second")};
    settings.name_spaces = {{first.app.settings().name_space, 1}, {second.app.settings().name_space, 1}};
    bench server{settings};
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
