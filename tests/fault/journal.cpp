#include "fault/journal.hpp"

#include <algorithm>
#include <cstdio>
#include <sstream>

namespace fault_test {

const std::vector<entry>& journal::entries() {
    if (!file_.is_open()) file_.open(path_);
    char bytes[65536];
    for (;;) {
        file_.clear();
        file_.read(bytes, sizeof bytes);
        if (file_.gcount() <= 0) break;
        rest_.append(bytes, static_cast<std::size_t>(file_.gcount()));
    }
    std::size_t at = 0;
    for (std::size_t end; (end = rest_.find('\n', at)) != std::string::npos; at = end + 1) {
        std::istringstream line{rest_.substr(at, end - at)};
        entry one;
        line >> one.what >> one.task >> one.attempt >> one.fence >> one.pid >> one.when;
        entries_.push_back(std::move(one));
    }
    rest_.erase(0, at);
    return entries_;
}

std::size_t journal::count(const std::string& what) {
    return static_cast<std::size_t>(std::ranges::count(entries(), what, &entry::what));
}

std::size_t journal::count(const std::string& what, pid_t by) {
    return static_cast<std::size_t>(std::ranges::count_if(entries(), [&](const entry& one) {
        return one.what == what && one.pid == by;
    }));
}

std::set<std::string> journal::in_the_middle(pid_t of) {
    std::set<std::string> open;
    for (const auto& one : entries()) {
        if (one.pid != of) continue;
        if (one.what == "started") {
            open.insert(one.task);
        } else if (one.what != "ended" && one.what != "recovered") {
            open.erase(one.task);
        }
    }
    return open;
}

std::size_t journal::doubled() {
    std::map<std::string, int> ends;
    for (const auto& one : entries()) {
        if (one.what == "success" || one.what == "dead") ++ends[one.task];
        if (one.what == "revived") ends[one.task] = 0;
    }
    return static_cast<std::size_t>(std::ranges::count_if(ends,
                                                          [](const auto& one) { return one.second > 1; }));
}

void tally::print(const std::string& of, const std::string& more) const {
    std::printf("fault: %s: accepted %zu, finished %zu, executions %zu, lost %zu, doubled %zu%s%s\n",
                of.c_str(), accepted, finished, executions, lost, doubled, more.empty() ? "" : ", ",
                more.c_str());
}

}  // namespace fault_test
