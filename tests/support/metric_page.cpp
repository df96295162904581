#include "support/metric_page.hpp"

#include <cmath>
#include <cstdlib>
#include <optional>
#include <regex>
#include <set>
#include <stdexcept>

namespace errand::test {
namespace {

[[noreturn]] void refuse(const std::string& why, std::string_view line) {
    throw std::runtime_error{why + ": " + std::string{line}};
}

class reader {
public:
    explicit reader(bool open_metrics) : open_metrics_{open_metrics} {}

    void line(const std::string& text) {
        if (ended_) refuse("a line after # EOF", text);
        if (text == "# EOF" && open_metrics_) {
            ended_ = true;
            return;
        }
        static const std::regex help{R"(# HELP ([a-z_]+) [^\\\n]+)"};
        static const std::regex type{R"(# TYPE ([a-z_]+) (counter|gauge|histogram))"};
        static const std::regex sample{
            R"re(([a-z_]+)(\{[a-z_]+="(?:[^"\\\n]|\\[\\"n])*"(?:,[a-z_]+="(?:[^"\\\n]|\\[\\"n])*")*\})? (\S+))re"};
        std::smatch found;
        if (std::regex_match(text, found, help)) return begin(found[1], text);
        if (std::regex_match(text, found, type)) return of_kind(found[1], found[2], text);
        if (std::regex_match(text, found, sample)) return add(found[1], found[2], found[3], text);
        static const std::regex with_exemplar{
            R"re((([a-z_]+_bucket)(\{.*\}) \S+) # \{trace_id="([0-9a-f]{32})"\} (\S+) (\S+))re"};
        if (open_metrics_ && std::regex_match(text, found, with_exemplar)) {
            const auto before = last_bound_;
            const auto sample_name = found[2].str() + found[3].str();
            line(found[1]);
            exemplar(before, number_of(found[5], text), number_of(found[6], text), text);
            page_.traces[sample_name] = found[4];
            return;
        }
        refuse("neither comment nor sample", text);
    }

    metric_page finish() && {
        close();
        if (open_metrics_ && !ended_) throw std::runtime_error{"no # EOF"};
        return std::move(page_);
    }

private:
    void begin(const std::string& name, const std::string& text) {
        close();
        if (!helped_.insert(name).second) refuse("the family is there twice", text);
        name_ = name;
    }

    void of_kind(const std::string& name, const std::string& kind, const std::string& text) {
        if (name != name_ || page_.kinds.contains(name)) refuse("its TYPE is not behind its HELP", text);
        const bool total = name.ends_with("_total");
        if (kind == "counter" && total == open_metrics_) refuse("a counter's name", text);
        if (kind != "counter" && total) refuse("only counters end in _total", text);
        page_.kinds[name] = kind;
    }

    void add(const std::string& name, const std::string& labels, const std::string& value,
             const std::string& text) {
        if (!page_.kinds.contains(name_)) refuse("a sample without a family", text);
        const double number = number_of(value, text);
        if (!page_.samples.emplace(name + labels, number).second) refuse("the sample is there twice", text);
        const auto& kind = page_.kinds.at(name_);
        if (kind == "histogram") return bucket(name, labels, number, text);
        const auto wanted = kind == "counter" && open_metrics_ ? name_ + "_total" : name_;
        if (name != wanted) refuse("a sample of another family", text);
        if (kind == "counter" && number < 0) refuse("a counter below 0", text);
    }

    static double number_of(const std::string& value, const std::string& text) {
        char* end = nullptr;
        const double number = std::strtod(value.c_str(), &end);
        if (*end != '\0') refuse("no number", text);
        return number;
    }

    // Of the bucket that was read last, which begins behind `before`.
    void exemplar(std::optional<double> before, double value, double at, const std::string& text) const {
        if (!last_bound_ || value > *last_bound_ || (before && value <= *before))
            refuse("an exemplar of another bucket", text);
        if (at <= 0) refuse("an exemplar of no time", text);
    }

    // Of each histogram: buckets by rising bounds and counts, then sum and count.
    void bucket(const std::string& name, const std::string& labels, double number, const std::string& text) {
        if (name == name_ + "_bucket") {
            static const std::regex bound{R"re([{,]le="([^"]+)"\})re"};
            std::smatch found;
            if (!std::regex_search(labels, found, bound)) refuse("a bucket without le", text);
            const auto le = found[1].str();
            const double at = le == "+Inf" ? HUGE_VAL : std::strtod(le.c_str(), nullptr);
            if (last_bound_ && at <= *last_bound_) refuse("bounds must rise", text);
            if (number < last_count_) refuse("buckets hold what the ones before hold", text);
            last_bound_ = at;
            last_count_ = number;
        } else if (name == name_ + "_sum") {
            if (last_bound_ != HUGE_VAL) refuse("no bucket +Inf", text);
        } else if (name == name_ + "_count") {
            if (last_bound_ != HUGE_VAL || number != last_count_)
                refuse("_count is not the last bucket", text);
            last_bound_.reset();
            last_count_ = 0;
        } else {
            refuse("no sample of a histogram", text);
        }
    }

    void close() const {
        if (last_bound_) throw std::runtime_error{name_ + ": a histogram without _count"};
    }

    bool open_metrics_;
    bool ended_ = false;
    metric_page page_;
    std::set<std::string> helped_;
    std::string name_;
    std::optional<double> last_bound_;
    double last_count_ = 0;
};

}  // namespace

metric_page read_metrics(std::string_view text, bool open_metrics) {
    reader by{open_metrics};
    if (text.empty() || text.back() != '\n') throw std::runtime_error{"the last line has no end"};
    while (!text.empty()) {
        const auto end = text.find('\n');
        by.line(std::string{text.substr(0, end)});
        text.remove_prefix(end + 1);
    }
    return std::move(by).finish();
}

}  // namespace errand::test
