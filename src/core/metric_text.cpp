#include "core/metric_text.hpp"

#include "core/utf8.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>

namespace errand {
namespace {

std::string_view kind_name(metric_kind kind) {
    switch (kind) {
    case metric_kind::counter: return "counter";
    case metric_kind::gauge: return "gauge";
    case metric_kind::histogram: return "histogram";
    }
    return "unknown";
}

// OpenMetrics names a counter's family without what its samples end in.
std::string_view family_name(const metric_family& of, metric_form form) {
    constexpr std::string_view total = "_total";
    auto name = of.name;
    if (form == metric_form::open_metrics && of.kind == metric_kind::counter)
        name.remove_suffix(total.size());
    return name;
}

void append_escaped(std::string& to, std::string_view text) {
    for (const char c : repaired_utf8(text)) {
        if (c == '\n') {
            to += "\\n";
            continue;
        }
        if (c == '\\' || c == '"') to += '\\';
        to += c;
    }
}

std::size_t bucket_of(std::span<const double> bounds, double seconds) noexcept {
    return static_cast<std::size_t>(std::ranges::lower_bound(bounds, seconds) - bounds.begin());
}

std::string bound_text(double bound) {
    std::array<char, 32> digits;
    const auto end =
        std::to_chars(digits.data(), digits.data() + digits.size(), bound, std::chars_format::fixed).ptr;
    std::string text{digits.data(), end};
    // OpenMetrics wants bounds written as floating point numbers.
    if (text.find_first_of(".e") == text.npos) text += ".0";
    return text;
}

}  // namespace

metric_form metric_form_of(std::string_view accept) noexcept {
    return accept.find("application/openmetrics-text") != accept.npos ? metric_form::open_metrics
                                                                      : metric_form::text;
}

std::string_view content_type_of(metric_form form) noexcept {
    return form == metric_form::open_metrics ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                                             : "text/plain; version=0.0.4; charset=utf-8";
}

void histogram_cell::add(std::span<const double> bounds, double seconds) noexcept {
    ++counts.at(bucket_of(bounds, seconds));
    sum += seconds;
}

void keep_newest(exemplars& in, std::span<const double> bounds, exemplar one) {
    in.insert_or_assign(bucket_of(bounds, one.seconds), std::move(one));
}

void merge_newest(exemplars& in, const exemplars& other) {
    for (const auto& [bucket, one] : other) {
        const auto [at, is_new] = in.try_emplace(bucket, one);
        if (!is_new && at->second.at < one.at) at->second = one;
    }
}

void histogram_cell::merge(const histogram_cell& other) noexcept {
    for (std::size_t at = 0; at < counts.size(); ++at) counts[at] += other.counts[at];
    sum += other.sum;
}

std::uint64_t histogram_cell::count() const noexcept {
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

void metric_text::begin(const metric_family& of) {
    of_ = &of;
    const auto name = family_name(of, form_);
    text_.append("# HELP ").append(name).append(" ").append(of.help).append("\n");
    text_.append("# TYPE ").append(name).append(" ").append(kind_name(of.kind)).append("\n");
}

void metric_text::name(std::string_view suffix, metric_labels labels, std::string_view bound) {
    text_.append(of_->name).append(suffix);
    if (labels.size() == 0 && bound.empty()) return;
    char before = '{';
    const auto add_one = [&](std::string_view key, std::string_view value) {
        text_ += before;
        text_.append(key).append("=\"");
        append_escaped(text_, value);
        text_ += '"';
        before = ',';
    };
    for (const auto& [key, value] : labels) add_one(key, value);
    if (!bound.empty()) add_one("le", bound);
    text_ += '}';
}

void metric_text::number(double value) {
    if (!std::isfinite(value)) {
        text_ += std::isnan(value) ? " NaN\n" : value > 0 ? " +Inf\n" : " -Inf\n";
        return;
    }
    std::array<char, 32> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    text_.append(" ").append(digits.data(), end).append("\n");
}

void metric_text::number(std::uint64_t value) {
    text_.append(" ").append(std::to_string(value)).append("\n");
}

void metric_text::add(metric_labels labels, std::uint64_t value) {
    name({}, labels);
    number(value);
}

void metric_text::add(metric_labels labels, double value) {
    name({}, labels);
    number(value);
}

void metric_text::bucket(metric_labels labels, std::string_view bound, std::uint64_t value,
                         const exemplar* seen) {
    name("_bucket", labels, bound);
    number(value);
    if (!seen || form_ != metric_form::open_metrics) return;
    text_.back() = ' ';
    text_.append("# {trace_id=\"").append(seen->trace_id).append("\"}");
    number(seen->seconds);
    text_.pop_back();
    number(seen->at);
}

void metric_text::add(metric_labels labels, const histogram_cell& cell, const exemplars& seen) {
    const auto seen_in = [&](std::size_t at) {
        const auto found = seen.find(at);
        return found == seen.end() ? nullptr : &found->second;
    };
    std::uint64_t so_far = 0;
    const auto bounds = of_->bounds.size();
    for (std::size_t at = 0; at < bounds; ++at)
        bucket(labels, bound_text(of_->bounds[at]), so_far += cell.counts.at(at), seen_in(at));
    const auto all = cell.count();
    bucket(labels, "+Inf", all, seen_in(bounds));
    name("_sum", labels);
    number(cell.sum);
    name("_count", labels);
    number(all);
}

std::string metric_text::finish() && {
    if (form_ == metric_form::open_metrics) text_ += "# EOF\n";
    return std::move(text_);
}

}  // namespace errand
