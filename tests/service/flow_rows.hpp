// A row of the flows' route table with what it answers.
#pragma once

#include "service/flow/routes.hpp"
#include "service/flow_shop.hpp"
#include "service/route.hpp"

#include <catch2/catch_test_macros.hpp>

#include <map>
#include <string>

namespace service_test {

namespace web = errand::web;

// What a call answers when nothing is wrong, of a task "t" that is not due for long and of a type "film".
struct flow_example {
    std::string body{};
    int status = 200;
    std::string id = "t";
    std::string type = "film";
    int again = 0;           // when the same is asked once more; 0: the same
    std::string named = {};  // the body by which it can be known again
};

inline const std::string no_claim = "00000000000000010000000000000000.1.-.1.w";

inline const std::map<std::string, flow_example, std::less<>> flow_examples{
    {"flow_create",
     {.body = R"({"type": "film"})",
      .status = 201,
      .again = 200,
      .named = R"({"type": "film", "id": "new"})"}},
    {"flow_create_batch",
     {.body = R"({"tasks": [{"type": "film"}]})", .named = R"({"tasks": [{"type": "film", "id": "new"}]})"}},
    {"flow_list", {}},
    {"flow_look", {}},
    {"flow_change", {.body = R"({"priority": 3})"}},
    {"flow_cancel", {}},
    {"flow_revive", {.body = R"({"stage": "again"})", .id = "failed", .again = 409}},
    {"flow_hold", {.body = R"({"limit": 1})"}},
    {"flow_hold_types", {.body = R"({"types": [{"type": "film"}]})"}},
    // Of a task that nobody holds: tests of their own say the rest.
    {"flow_report", {.body = R"({"claim": ")" + no_claim + R"(", "outcome": "done"})", .status = 409}},
    {"flow_reports",
     {.body = R"({"reports": [{"type": "film", "id": "t", "claim": ")" + no_claim +
              R"(", "outcome": "done"}]})"}},
    {"flow_extend", {.body = R"({"leases": [{"type": "film", "id": "t", "claim": ")" + no_claim + R"("}]})"}},
    {"flow_put_type", {.body = R"({"batch": 5})"}},
    {"flow_patch_type", {.body = R"({"batch": 5})"}},
    {"flow_list_types", {}},
    {"flow_show_type", {}},
    {"flow_pause_type", {}},
    {"flow_resume_type", {}},
    {"flow_count_type", {}},
    {"flow_delete_type", {.type = "empty", .again = 404}},
};

inline const flow_example& example_of(const web::route& of) {
    const auto known = flow_examples.find(of.name);
    INFO("the call " << of.name << " has no example");
    REQUIRE(known != flow_examples.end());
    return known->second;
}

inline std::string path_of(const web::route& of, const std::string& name_space) {
    const auto& example = example_of(of);
    return path_with(path_with(path_with(std::string{of.path}, "{namespace}", name_space), "{type}",
                               example.type),
                     "{id}", example.id);
}

// Anew for each row, since rows change what there is.
inline void arrange(flow_shop& shop) {
    shop.put_type("film");
    shop.put_type("empty");
    shop.create(R"("id": "t", "delay_ms": 3600000)");
    shop.create(R"("id": "failed", "delay_ms": 3600000)");
    shop.done("DELETE", "/tasks/film/failed");
}

}  // namespace service_test
