#include "runtime/process_figures.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

namespace errand {
namespace {

double seconds_of(const timeval& length) {
    return static_cast<double>(length.tv_sec) + static_cast<double>(length.tv_usec) / 1e6;
}

std::uint64_t pages_in_memory() {
    std::ifstream in{"/proc/self/statm"};
    std::uint64_t all = 0;
    std::uint64_t resident = 0;
    in >> all >> resident;
    return resident;
}

std::uint64_t open_files() {
    std::uint64_t count = 0;
    std::error_code ec;
    for (std::filesystem::directory_iterator at{"/proc/self/fd", ec}, end; !ec && at != end; at.increment(ec))
        ++count;
    return count;
}

// Clock ticks since the machine began, of its 22nd field; the second is a name that may hold anything, in brackets.
double started_after_boot() {
    std::ifstream in{"/proc/self/stat"};
    std::string line;
    std::getline(in, line);
    const auto name_end = line.rfind(')');
    if (name_end == std::string::npos) return 0;
    std::istringstream rest{line.substr(name_end + 1)};
    std::string field;
    for (int at = 3; at <= 22; ++at) rest >> field;
    return std::strtod(field.c_str(), nullptr) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

double booted_at() {
    std::ifstream in{"/proc/stat"};
    std::string word;
    while (in >> word) {
        double value = 0;
        if (word == "btime" && in >> value) return value;
    }
    return 0;
}

}  // namespace

void write_process_figures(metric_text& to) {
    rusage used{};
    if (::getrusage(RUSAGE_SELF, &used) == 0) {
        to.begin(metric::process_cpu);
        to.add({}, seconds_of(used.ru_utime) + seconds_of(used.ru_stime));
    }
    if (const auto pages = pages_in_memory()) {
        to.begin(metric::process_memory);
        to.add({}, pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)));
    }
    if (const auto files = open_files()) {
        to.begin(metric::process_files);
        to.add({}, files);
    }
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        to.begin(metric::process_most_files);
        to.add({}, std::uint64_t{limit.rlim_cur});
    }
    if (const auto booted = booted_at(); booted > 0) {
        static const double began = booted + started_after_boot();
        to.begin(metric::process_start);
        to.add({}, began);
    }
}

}  // namespace errand
