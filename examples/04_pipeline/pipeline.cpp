#include "pipeline.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <filesystem>

namespace asio = boost::asio;

errand::awaitable<std::string> count_piece::perform(piece what, std::string table) {
    if (pace_.slow > errand::duration{0}) {
        asio::steady_timer timer{co_await asio::this_coro::executor, pace_.slow};
        co_await timer.async_wait(asio::use_awaitable);
    }
    write_table(table, count_words(what));
    co_return table;
}

namespace {

using tables = std::vector<std::string>;

// One task for each piece. Started again, this finds the tasks that an earlier run has submitted.
errand::awaitable<tables> count_all(errand::proxy<count_piece> counting, std::vector<piece> pieces,
                                    std::string folder) {
    std::vector<std::tuple<piece, std::string>> calls;
    for (std::size_t at = 0; at < pieces.size(); ++at) {
        calls.emplace_back(pieces[at], folder + "/piece-" + std::to_string(at));
    }
    co_return co_await errand::all(co_await counting.perform_bulk(calls));
}

errand::awaitable<std::vector<piece>> split(std::string corpus, std::uint64_t size) {
    co_return split_corpus(corpus, size);
}

errand::awaitable<report_summary> merge(tables counted, std::string into) {
    word_counts all;
    for (const auto& table : counted) add_table(table, all);
    write_table(into, all);
    report_summary sum{.pieces = counted.size(), .words = all.size(), .occurrences = 0};
    for (const auto& [word, count] : all) sum.occurrences += count;
    co_return sum;
}

errand::awaitable<void> publish(std::string from, std::string to) {
    std::filesystem::copy_file(from, to + ".new", std::filesystem::copy_options::overwrite_existing);
    std::filesystem::rename(to + ".new", to);
    co_return;
}

}  // namespace

errand::awaitable<report_summary> make_report::perform(report_job job) {
    auto& self = co_await errand::this_task();
    const auto merged = job.folder + "/merged";
    auto pieces = co_await self.stage("split", [&] { return split(job.corpus, job.piece); });
    co_await self.progress(0.1, std::to_string(pieces.size()) + " pieces");
    auto counted = co_await self.stage("count", [&] { return count_all(counting_, pieces, job.folder); });
    co_await self.progress(0.8, "counted");
    auto sum = co_await self.stage("merge", [&] { return merge(counted, merged); });
    co_await self.stage("publish", [&] { return publish(merged, job.report); });
    co_await self.stage("tidy", [&]() -> errand::awaitable<void> {
        std::filesystem::remove_all(job.folder);
        co_return;
    });
    co_return sum;
}
