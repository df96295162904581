// How often each word occurs in a directory of files: split, counted in parallel, merged and written, by any number of
// workers, any of which may die at any time.
#include "../shared_store.hpp"
#include "pipeline.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

namespace {

constexpr const char* usage = R"(usage:
  04_pipeline work [MS]                   a worker until SIGTERM; each piece takes at least so many milliseconds
  04_pipeline report DIR FILE [BYTES]     counts the words of the files below DIR into FILE, as `sort | uniq -c` would,
                                          in pieces of about so many bytes (1000000)
ERRAND_STORE names the store: sqlite:///path/tasks.db, redis://host:port, redis+unix:///path
)";

int work(int milliseconds) {
    errand::app app{shared_store()};
    app.provide<pace>(errand::duration{milliseconds});
    return app.run();
}

int report(const std::string& directory, const std::string& file, std::uint64_t piece) {
    namespace fs = std::filesystem;
    const auto target = fs::absolute(file).string();
    const auto folder = target + ".parts";
    fs::create_directories(folder);
    errand::app app{shared_store()};
    // The same report asked for twice is one: by its name, as long as it is being made.
    auto reports = app.handler<make_report>().with({.biz_id = target, .retention = std::chrono::minutes{10}});
    const report_job job{fs::absolute(directory).string(), folder, target, piece};
    const auto sum = app.block_on(app.block_on(reports.perform_async(job)));
    std::printf("report: %llu words, %llu of them different, in %llu pieces\n",
                static_cast<unsigned long long>(sum.occurrences), static_cast<unsigned long long>(sum.words),
                static_cast<unsigned long long>(sum.pieces));
    return 0;
}

}  // namespace

int main(int count, char** words) try {
    const std::vector<std::string> arguments{words + 1, words + count};
    const auto number = [&](std::size_t at, unsigned long otherwise) {
        return at < arguments.size() ? std::stoul(arguments[at]) : otherwise;
    };
    if (!arguments.empty() && arguments[0] == "work") return work(static_cast<int>(number(1, 0)));
    if (arguments.size() >= 3 && arguments[0] == "report") {
        return report(arguments[1], arguments[2], number(3, 1'000'000));
    }
    std::fputs(usage, stderr);
    return 2;
} catch (const std::exception& e) {
    std::fprintf(stderr, "04_pipeline: %s\n", e.what());
    return 1;
}
