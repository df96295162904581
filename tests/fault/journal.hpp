// What the programs of the fault tests have written down, and what follows from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <sys/types.h>
#include <vector>

namespace fault_test {

struct entry {
    // up, started, recovered; of an attempt's end: success, retry, snoozed, given_back, dead, refused, withdrawn. Of tasks that depend on others also
    // ended (the work is done, the store not told yet) and, by a submitter, accepted or cyclic (it was refused),
    // and, by a test, revived.
    std::string what;
    std::string task;
    int attempt = 0;
    std::uint64_t fence = 0;  // of retry and snoozed: after how many ms it is due
    pid_t pid = 0;
    std::int64_t when = 0;  // ms, by the clock that steady_clock reads
};

class journal {
public:
    explicit journal(std::string path) : path_{std::move(path)} {}

    // All entries so far, read anew.
    const std::vector<entry>& entries();

    std::size_t count(const std::string& what);
    std::size_t count(const std::string& what, pid_t by);
    // Tasks that this worker has started, and of whose end it has heard nothing yet.
    std::set<std::string> in_the_middle(pid_t of);
    // Tasks of which more than one attempt has ended, and was told that its end counts, since it was revived.
    std::size_t doubled();

    const std::string& path() const noexcept { return path_; }

private:
    std::string path_;
    std::ifstream file_;
    std::string rest_;
    std::vector<entry> entries_;
};

// The numbers of a fault test. Lost and doubled must be 0.
struct tally {
    std::size_t accepted = 0;
    std::size_t finished = 0;
    std::size_t executions = 0;
    std::size_t lost = 0;
    std::size_t doubled = 0;

    void print(const std::string& of, const std::string& more = {}) const;
};

}  // namespace fault_test
