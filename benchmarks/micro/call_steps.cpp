// The arguments of a call: what perform_async encodes, what a worker parses and hands to `perform`.
#include "sample.hpp"

#include <boost/json/monotonic_resource.hpp>

#include <benchmark/benchmark.h>

#include <array>
#include <tuple>

namespace {

using namespace benchmark_micro;
using namespace errand::detail;

void encode_arguments(benchmark::State& state) {
    const item what{.id = 123'456};
    require(encode_call<handler>(what).args == R"([{"id":123456,"name":"abcdefgh"}])",
            "the arguments are not encoded as they should be");
    for (auto _ : state) benchmark::DoNotOptimize(encode_call<handler>(what));
}
BENCHMARK(encode_arguments);

// In memory of its own, as each task of a worker has it.
item decoded(const std::string& text) {
    std::array<unsigned char, 512> buffer;
    boost::json::monotonic_resource memory{buffer.data(), buffer.size()};
    const auto parsed = parse_json(text, "args", &memory);
    return std::get<0>(decode_args<handler>(parsed.as_array()));
}

void decode_arguments(benchmark::State& state) {
    const auto text = sample_body().args;
    require(decoded(text).id == 123'456 && decoded(text).name == "abcdefgh",
            "the arguments are not decoded to what was encoded");
    for (auto _ : state) benchmark::DoNotOptimize(decoded(text));
}
BENCHMARK(decode_arguments);

}  // namespace
