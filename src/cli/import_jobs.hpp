// Draining queues of an lmstfy. What is taken there is submitted, then acknowledged, then forgotten: whatever is killed in between, a job
// is there or here, and one that comes again is the same one.
//
// Others may take from the same queues, such an import among them. So a job is submitted only while it is surely nobody else's, its ttr
// running there, and is forgotten only if it was acknowledged while that was so: then nobody else has it or will have it. Of any other
// the store goes on knowing that it has come.
#pragma once

#include "cli/job_rejects.hpp"
#include "cli/session.hpp"
#include "cli/terminal.hpp"
#include "service/lmstfy/source.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
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
    bool interrupted = false;
    // Of what is left there, as much as it tells.
    std::uint64_t ready = 0;
    std::uint64_t dead = 0;
};

class import_jobs {
public:
    import_jobs(session& on, const drain_order& order);

    // Throws store_error, and runtime_error about the other server.
    drain_counts run();

private:
    using clock = std::chrono::steady_clock;
    struct taken {
        std::vector<lmstfy::source_job> jobs{};
        clock::time_point until{};  // by then they are surely nobody else's
    };

    bool has_more();
    taken take();
    std::size_t admitted(std::size_t most);
    void bring(const taken& now);
    void reject(const lmstfy::source_job& one, const std::string& why);
    void show(const std::string& words);

    session& on_;
    detail::app_core& core_;
    const drain_order& order_;
    lmstfy::source from_;
    job_rejects rejects_;
    drain_counts counts_;
    std::uint64_t ready_ = 0;                   // there, as it said last, less those taken since
    std::optional<std::uint64_t> gave_none_{};  // when it said so
    std::size_t admitted_ = 0;                  // by the quota, and not used yet
    int late_ = 0;                              // batches in a row that were not sent in time
    clock::time_point quiet_since_ = clock::now();
    const clock::time_point began_ = clock::now();
    interruptible stopped_;
    progress_bar bar_{0};
};

}  // namespace errand::cli
