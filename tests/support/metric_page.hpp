// A page of metrics, read as strictly as the formats are written: what does not hold is thrown.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace errand::test {

struct metric_page {
    std::map<std::string, std::string> kinds;   // of families, by name
    std::map<std::string, double> samples;      // by name and labels, as they stand: `a_total{b="c"}`
    std::map<std::string, std::string> traces;  // of exemplars, by the sample that they are of

    // 0 where there is none.
    double at(const std::string& sample) const {
        const auto found = samples.find(sample);
        return found == samples.end() ? 0 : found->second;
    }
    bool has(const std::string& sample) const { return samples.contains(sample); }
};

// Throws std::runtime_error with the line that is wrong.
metric_page read_metrics(std::string_view text, bool open_metrics = false);

}  // namespace errand::test
