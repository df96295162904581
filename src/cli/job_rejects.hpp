// The file of the jobs that an import from another server could not bring over and that are there still: one line of JSON for each,
// {"from", "queue", "job_id", "reason", "text"}, once. What one of them says of a job goes when that is brought over after all.
//
// While the import runs lines are added alone, so that whatever ends it nothing is lost: those that are no more go at its end. One that
// was killed may leave two lines of a job, of which the last one holds, and some of jobs that it has brought over.
#pragma once

#include "cli/rejects_file.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace errand::cli {

class job_rejects {
public:
    // @param path empty: the first ones are said on the error stream
    // @param from where the jobs are
    // Throws usage_error when another process has the file, or there is something else in it than what was rejected of there.
    job_rejects(const std::string& path, std::string from);

    void add(const std::string& queue, const std::string& id, const std::string& reason,
             const std::string& text);
    void brought(const std::string& queue, const std::string& id);
    // The file says what was told. Throws usage_error when it could not be written.
    void flush();
    // And nothing else. Throws as flush() does; what the file says stays then.
    void finish();
    bool has(const std::string& queue, const std::string& id) const;
    // In this run.
    std::uint64_t count() const noexcept { return count_; }
    std::uint64_t unsaid() const noexcept { return said_.unsaid(); }

private:
    struct reject {
        std::string line{}, reason{};  // empty: there is no file
        bool is_of_this_run = false;
    };

    void read();
    void read_line(const std::string& line);

    std::string from_;
    std::optional<rejects_file> file_;
    said_rejects said_{"job"};
    std::map<std::string, reject, std::less<>> jobs_;
    bool is_stale_ = false;  // the file has lines that are no more
    std::uint64_t count_ = 0;
};

}  // namespace errand::cli
