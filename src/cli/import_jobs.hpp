// Draining queues of an lmstfy. What is taken there is submitted, then acknowledged, then forgotten: whatever is killed in between, a job
// is there or here, and one that comes again is the same one.
#pragma once

#include "cli/import_rejects.hpp"
#include "cli/session.hpp"
#include "cli/terminal.hpp"
#include "service/lmstfy/source.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace errand::cli {

struct drain_order {
    lmstfy::source_address from;
    duration ttr =
        std::chrono::minutes{2};  // what was taken comes back so long after when it was not acknowledged
    duration wait{0};             // it goes on until nothing has come for so long
    std::string rejects{};
};

struct drain_counts {
    std::uint64_t accepted = 0;
    std::uint64_t rejected = 0;
    std::uint64_t unsaid = 0;  // of the rejected ones
    bool complete = false;     // it was not interrupted
};

class import_jobs {
public:
    import_jobs(session& on, const drain_order& order);

    // Throws store_error, and runtime_error about the other server.
    drain_counts run();

private:
    using clock = std::chrono::steady_clock;

    std::vector<lmstfy::source_job> take();
    std::size_t admitted();
    bool is_empty();
    void bring(std::vector<lmstfy::source_job> jobs);
    void reject(const lmstfy::source_job& one, const std::string& why);
    void show(const std::string& words);

    session& on_;
    detail::app_core& core_;
    const drain_order& order_;
    lmstfy::source from_;
    import_rejects rejects_;
    std::set<std::string> rejected_;
    drain_counts counts_;
    std::optional<std::uint64_t> seen_size_{};  // when it last gave none
    clock::time_point quiet_since_ = clock::now();
    const clock::time_point began_ = clock::now();
    interruptible stopped_;
    progress_bar bar_{0};
};

}  // namespace errand::cli
