// Programs that run tasks over HTTP, as tests have them act.
#pragma once

#include "service/counter.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <utility>
#include <vector>

namespace service_test {

// A handler that no C++ program has, in a queue of its own.
inline const std::string foreign_task = R"({"handler": "py_thing", "queue": "foreign", "args": [1, "two"]})";

class program {
public:
    explicit program(const counter& of, std::string name = "py-1")
        : t_{of}, at_{of.address()}, name_{std::move(name)} {}

    client& line() noexcept { return at_; }
    const std::string& name() const noexcept { return name_; }

    // What stands in a claim besides its worker; queues when that names none.
    std::string claim_body(std::string_view more = {}) const {
        std::string text = R"({"worker": ")" + name_ + '"';
        if (more.find("\"queues\"") == more.npos) text += R"(, "queues": {"foreign": 1})";
        if (!more.empty()) text += std::string{", "} + std::string{more};
        return text + '}';
    }
    response post(std::string_view path, std::string_view body) {
        return at_.ask("POST", t_.path(path), body);
    }
    boost::json::array claim(std::string_view more = {}) {
        const auto got = post("/work:claim", claim_body(more));
        INFO(got.body);
        REQUIRE(got.status == 200);
        return got.json().at("tasks").as_array();
    }
    // One that comes sooner or later.
    boost::json::object claim_one(std::string_view more = R"("wait_ms": 60000)") {
        const auto got = claim(more);
        REQUIRE(got.size() == 1);
        return got.front().as_object();
    }
    // About a task that was claimed.
    response say(const boost::json::object& task, std::string_view verb, std::string_view more = {}) {
        std::string text = R"({"claim": ")" + std::string{task.at("claim").as_string()} + '"';
        if (!more.empty()) text += std::string{", "} + std::string{more};
        return post("/tasks/" + std::string{task.at("id").as_string()} + std::string{verb}, text + '}');
    }
    response report(const boost::json::object& task, std::string_view more) {
        return say(task, ":report", more);
    }

private:
    const counter& t_;
    client at_;
    std::string name_;
};

inline std::string id_of(const boost::json::object& task) { return std::string{task.at("id").as_string()}; }

inline const std::string success = R"("outcome": "success")";

inline boost::json::object look(counter& t, const std::string& id) {
    auto at = t.connect();
    const auto got = at.ask("GET", t.path("/tasks/" + id));
    REQUIRE(got.status == 200);
    return got.json().as_object();
}

inline std::size_t ready_ones(counter& t) { return t.tasks_in(errand::state::ready, "foreign"); }

inline void is_lost(const response& got) {
    INFO(got.body);
    CHECK(got.status == 409);
    CHECK(got.error_code() == "claim_lost");
}

inline void is_same(const response& first, const response& again) {
    INFO(first.body << " / " << again.body);
    CHECK(first.status == 200);
    CHECK(again.status == 200);
    CHECK(first.body == again.body);
}

// Another service on the same tasks, with a store object and a memory of its own.
struct another_service {
    explicit another_service(const counter& of) : there{{}, of.app.settings()} {}
    counter there;
};

}  // namespace service_test
