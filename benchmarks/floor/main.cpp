// What Redis itself allows: the work of a task queue as hand-written scripts, one thread, no framework.
//   floor MEASURE [tasks=N] [batch=B] [inflight=K]
#include "measures.hpp"
#include "redis.hpp"

#include <array>
#include <cstdio>
#include <string_view>

namespace {

using namespace benchmark_floor;

struct measure {
    std::string_view name;
    void (*run)(const options&);
};

constexpr std::array measures{
    measure{"round_trip", round_trip},
    measure{"round_trip_socket", round_trip_socket},
    measure{"submit", submit},
    measure{"drain", drain},
    measure{"life", life},
    measure{"latency", latency},
};

}  // namespace

int main(int count, char** words) try {
    for (const auto& known : measures) {
        if (count < 2 || known.name != words[1]) continue;
        known.run(options{count, words});
        return 0;
    }
    throw failure{
        "usage: floor round_trip|round_trip_socket|submit|drain|life|latency [tasks=N] [batch=B] [inflight=K]"};
} catch (const std::exception& e) {
    std::fprintf(stderr, "floor: %s\n", e.what());
    return 1;
}
