// What a worker does with Redis's answer to a claim of 50 tasks: recorded while it is parsed, then read.
#include "core/task_id.hpp"
#include "sample.hpp"
#include "store/redis/replies.hpp"
#include "store/redis/reply.hpp"

#include <boost/redis/resp3/parser.hpp>

#include <benchmark/benchmark.h>

#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace benchmark_micro;
using namespace errand;
using namespace errand::redis;

constexpr std::int64_t tasks = 50;

std::string list(std::int64_t size) { return "*" + std::to_string(size) + "\r\n"; }

std::string text(std::string_view bytes) {
    return "$" + std::to_string(bytes.size()) + "\r\n" + std::string{bytes} + "\r\n";
}

// As scripts/work.lua answers: word, time, lost reports, claim, when to look again, ids, bodies, notes.
std::string claim_answer() {
    std::string ids;
    std::string bodies = list(tasks);
    for (std::int64_t n = 1; n <= tasks; ++n) {
        ids += new_task_id(1'755'000'000'000).view();
        bodies += text(encode(sample_body(n)));
    }
    return list(8) + text("ok") + text("1755000000000") + list(0) + text("1755000000000000") + text("") +
           text(ids) + bodies + list(0);
}

void record(const std::string& wire, reply& into) {
    into.clear();
    auto recorder = into.recorder();
    boost::redis::resp3::parser parser;
    boost::system::error_code error;
    require(boost::redis::resp3::parse(parser, wire, recorder, error) && !error, "the answer does not parse");
}

std::vector<claimed_task> read(const reply& from) {
    reply_reader in{from};
    read_head(in);
    read_positions(in);
    const auto claim = read_claim(in);
    read_time(in);
    return read_claimed(in, claim);
}

void record_claim_of_50(benchmark::State& state) {
    const auto wire = claim_answer();
    reply answer;
    record(wire, answer);
    require(reply_reader{answer}.array() == 8, "the answer is not recorded");
    for (auto _ : state) {
        record(wire, answer);
        benchmark::DoNotOptimize(answer);
    }
    state.SetItemsProcessed(state.iterations() * tasks);
}
BENCHMARK(record_claim_of_50);

void read_claim_of_50(benchmark::State& state) {
    reply answer;
    record(claim_answer(), answer);
    const auto claimed = read(answer);
    require(claimed.size() == tasks &&
                errand::decode_body(claimed.back().body).args == sample_body(tasks).args,
            "the tasks of a claim are not read as they were sent");
    for (auto _ : state) benchmark::DoNotOptimize(read(answer));
    state.SetItemsProcessed(state.iterations() * tasks);
}
BENCHMARK(read_claim_of_50);

}  // namespace
