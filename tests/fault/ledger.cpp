#include "fault/ledger.hpp"

#include <limits>
#include <unordered_map>

namespace fault_test {
namespace {

constexpr std::size_t never = std::numeric_limits<std::size_t>::max();

// One task's lines, by their numbers.
struct history {
    struct start {
        std::size_t at;
        std::uint64_t fence;
    };
    std::vector<start> starts;
    std::map<std::uint64_t, std::size_t> ends;  // by fence
    int counted = 0;                            // ends that the store took
};

class trial {
public:
    trial(const accepted_tasks& what, const std::vector<entry>& lines) : what_{what} {
        for (std::size_t at = 0; at < lines.size(); ++at) {
            const auto& line = lines[at];
            if (line.what == "started") {
                known_[line.task].starts.push_back({at, line.fence});
                ++out_.executions;
            } else if (line.what == "ended") {
                known_[line.task].ends.emplace(line.fence, at);
            } else if (line.what == "success" || line.what == "dead") {
                ++known_[line.task].counted;
            } else if (line.what == "revived") {
                known_[line.task].counted = 0;
            }
        }
    }

    judgement run() {
        for (const auto& id : what_.tasks) look_at(id);
        for (const auto& [child, parent] : what_.edges) look_at(child, parent);
        return std::move(out_);
    }

private:
    // When the result that stands was there; never, when it was not.
    std::size_t end_of(const std::string& id) {
        const auto result = what_.results.find(id);
        if (result == what_.results.end()) return never;
        const auto& ends = known_[id].ends;
        const auto at = ends.find(result->second);
        return at == ends.end() ? never : at->second;
    }

    void look_at(const std::string& id) {
        if (!what_.results.contains(id)) return complain(out_.unfinished, id + " has no result");
        const auto end = end_of(id);
        if (end == never)
            return complain(out_.unfounded, "the result of " + id + " is that of no attempt that ended");
        if (known_[id].counted > 1) complain(out_.doubled, id + " has ended more than once");
        // A worker that was held up between its claim and its first line writes that late: its fence tells.
        const auto fence = what_.results.at(id);
        for (const auto& start : known_[id].starts) {
            if (start.at > end && start.fence > fence)
                complain(out_.again, id + " was started again after its result was there");
        }
    }

    void look_at(const std::string& child, const std::string& parent) {
        ++out_.edges;
        const auto end = end_of(parent);
        for (const auto& start : known_[child].starts) {
            if (start.at < end)
                complain(out_.too_early, child + " was started before " + parent + " had ended");
        }
    }

    void complain(std::size_t& count, std::string words) {
        ++count;
        if (out_.words.size() < 10) out_.words.push_back(std::move(words));
    }

    const accepted_tasks& what_;
    std::unordered_map<std::string, history> known_;
    judgement out_;
};

}  // namespace

judgement judge(const accepted_tasks& what, const std::vector<entry>& lines) {
    return trial{what, lines}.run();
}

}  // namespace fault_test
