// Figures as text that monitoring systems read: Prometheus' format 0.0.4, or OpenMetrics 1.0. Pure.
#pragma once

#include "core/metric_list.hpp"

#include <cstdint>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace errand {

enum class metric_form : unsigned char { text, open_metrics };

// As an Accept header asks for it.
metric_form metric_form_of(std::string_view accept) noexcept;
std::string_view content_type_of(metric_form form) noexcept;

using metric_label = std::pair<std::string_view, std::string_view>;
using metric_labels = std::initializer_list<metric_label>;

// How often something took how long, in the buckets of its family.
struct histogram_cell {
    std::array<std::uint64_t, most_bounds + 1> counts{};  // of each bucket by itself
    double sum = 0;

    void add(std::span<const double> bounds, double seconds) noexcept;
    void merge(const histogram_cell& other) noexcept;
    std::uint64_t count() const noexcept;
};

// One of what a bucket counts, and the trace in which it is seen.
struct exemplar {
    std::string trace_id;  // hex digits
    double seconds = 0;
    double at = 0;  // seconds of Unix time
};

// By bucket: the newest of each.
using exemplars = std::map<std::size_t, exemplar>;
void keep_newest(exemplars& in, std::span<const double> bounds, exemplar one);
void merge_newest(exemplars& in, const exemplars& other);

class metric_text {
public:
    explicit metric_text(metric_form form) : form_{form} {}

    // What follows is of this one. Each family once, and all of it together.
    void begin(const metric_family& of);
    void add(metric_labels labels, std::uint64_t value);
    void add(metric_labels labels, double value);
    // Exemplars are written where the format has them.
    void add(metric_labels labels, const histogram_cell& cell, const exemplars& seen = {});
    std::string finish() &&;

private:
    void name(std::string_view suffix, metric_labels labels, std::string_view bound = {});
    void bucket(metric_labels labels, std::string_view bound, std::uint64_t value, const exemplar* seen);
    void number(double value);
    void number(std::uint64_t value);

    metric_form form_;
    const metric_family* of_ = nullptr;
    std::string text_;
};

}  // namespace errand
