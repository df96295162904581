// Which gates tasks have.
#include "core/gates.hpp"
#include "limits/handlers.hpp"
#include "runtime/task_gates.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace limits_test;
using errand::gate_kind;
using errand::gate_of;

namespace {

template <class H>
std::string gates(std::string_view args,
                  const std::optional<errand::detail::limit_keys>& keys = std::nullopt) {
    return errand::gates_of_task(errand::handlers::of_type(typeid(H)), keys, args);
}

errand::task_body body_of(std::string handler, std::string args) {
    errand::task_body body;
    body.handler = std::move(handler);
    body.args = std::move(args);
    return body;
}

}  // namespace

TEST_CASE("a policy's own limit is a gate of what runs and one of what starts, and each shared one another") {
    // With keys or without: when a later version adds a rate_key, those that run still count.
    CHECK(gates<pair_of>("[1]") == gate_of(gate_kind::running, "handler:pair_of", "") +
                                       gate_of(gate_kind::starts, "handler:pair_of", ""));
    CHECK(gates<read_crm>("[]") == gate_of(gate_kind::both, "crm-api", ""));
}

TEST_CASE("keys belong to the gate of what runs, or to that of what starts") {
    const auto of_anna = gate_of(gate_kind::running, "handler:visit", "anna") +
                         gate_of(gate_kind::starts, "handler:visit", "");
    CHECK(gates<visit>("[]", errand::detail::limit_keys{.concurrency = "anna", .rate = ""}) == of_anna);
    // Of a task that is submitted by name its handler's code is asked.
    CHECK(gates<visit>(R"(["anna",1])") == of_anna);
    CHECK(gates<post>(R"(["bert"])") == gate_of(gate_kind::running, "handler:post", "") +
                                            gate_of(gate_kind::starts, "handler:post", "bert"));
    CHECK_THROWS_AS(gates<visit>("[1]"), errand::bad_data);
    CHECK_THROWS_AS(gates<visit>("[]", errand::detail::limit_keys{.concurrency = std::string(1025, 'k')}),
                    errand::usage_error);
}

TEST_CASE("other arguments have other gates, where the handler's code is known") {
    auto known = body_of("visit", R"(["carl",1])");
    errand::renew_gates(known);
    CHECK(known.gates.starts_with(gate_of(gate_kind::running, "handler:visit", "carl")));
    auto unknown = body_of("of.another.program", "[]");
    unknown.gates = known.gates;
    errand::renew_gates(unknown);
    CHECK(unknown.gates == known.gates);
    // What its first argument will be is not known.
    known.takes_result = true;
    known.args = "[1]";
    CHECK_NOTHROW(errand::renew_gates(known));
}
