// A C++ program awaits what a Python worker computes: worker.py has the other half of this handler.
#include "../shared_store.hpp"

#include <cstdio>
#include <string>
#include <vector>

struct summary {
    double mean = 0;
    double median = 0;
    std::string most_common;
};

// Only declared here: it has no C++ code.
class summarize {
public:
    errand::awaitable<summary> perform(std::vector<std::string> words);
};
ERRAND_DECLARE_HANDLER(summarize, .queue = "python", .max_retry = 3)

errand::awaitable<void> ask(errand::app& app) {
    auto summaries = app.handler<summarize>();
    const std::vector<std::string> words{"a", "task", "is", "a", "task"};
    const auto h = co_await summaries.perform_async(words);
    const summary found = co_await h;
    std::printf("summary: mean %.1f, median %.1f, most common \"%s\"\n", found.mean, found.median,
                found.most_common.c_str());
}

int main() try {
    errand::app app{shared_store()};
    app.block_on(ask(app));
} catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
