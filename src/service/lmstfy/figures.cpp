#include "service/lmstfy/figures.hpp"

#include <algorithm>
#include <cstdio>

namespace errand::lmstfy {
namespace {

// Queues are made by naming them: those beyond so many are counted together.
constexpr std::size_t most_queues_counted = 1000;

std::string number_text(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.10g", value);
    return text;
}

using label = std::pair<std::string_view, std::string_view>;

// Names and values are of a narrow alphabet; none needs to be escaped.
std::string labels_text(std::initializer_list<label> all) {
    std::string text;
    for (const auto& [name, value] : all) {
        text += text.empty() ? '{' : ',';
        text.append(name).append("=\"").append(value).append("\"");
    }
    return text + '}';
}

std::string queue_labels(const place_of_queue& of) {
    return labels_text({{"pool", of.pool}, {"namespace", of.name_space}, {"queue", of.queue}});
}

class metrics_page {
public:
    void begin(std::string_view name, std::string_view type, std::string_view help) {
        text_.append("# HELP ").append(name).append(" ").append(help).append("\n");
        text_.append("# TYPE ").append(name).append(" ").append(type).append("\n");
    }
    void line(std::string_view name, const std::string& labels, double value) {
        text_.append(name).append(labels).append(" ").append(number_text(value)).append("\n");
    }
    template <std::size_t N>
    void histogram(const std::string& name, const std::string& labels, const growing_histogram<N>& of) {
        const auto inside = labels.substr(0, labels.size() - 1);
        double bound = of.first;
        for (const auto n : of.at_most) {
            line(name + "_bucket", inside + ",le=\"" + number_text(bound) + "\"}", static_cast<double>(n));
            bound *= of.factor;
        }
        line(name + "_bucket", inside + ",le=\"+Inf\"}", static_cast<double>(of.count));
        line(name + "_sum", labels, of.sum);
        line(name + "_count", labels, static_cast<double>(of.count));
    }
    std::string take() { return std::move(text_); }

private:
    std::string text_;
};

constexpr const char* redis_front = "infra_lmstfy_redis_";
constexpr const char* http_front = "infra_lmstfy_http_";

double ms_of(duration length) { return static_cast<double>(length.count()); }

}  // namespace

job_figures::queue_figures& job_figures::of(const place_of_queue& where) {
    const auto at = queues_.find(where);
    if (at != queues_.end()) return at->second;
    if (queues_.size() < most_queues_counted) return queues_[where];
    return queues_[{where.pool, where.name_space, "_other"}];
}

void job_figures::published(const place_of_queue& where, std::size_t jobs) { of(where).published += jobs; }

void job_figures::consumed(const place_of_queue& where, duration elapsed) {
    auto& one = of(where);
    ++one.consumed;
    one.elapsed.add(ms_of(elapsed));
}

void job_figures::acknowledged(const place_of_queue& where, duration elapsed) {
    of(where).acknowledged.add(ms_of(elapsed));
}

void job_figures::respawned(const std::string& pool, std::int64_t jobs) { respawned_[pool] += jobs; }

void job_figures::refused(const std::string& pool, const std::string& name_space, const std::string& token,
                          std::string_view action) {
    ++refused_[{pool, name_space, token, std::string{action}}];
}

void job_figures::answered(const std::string& pool, const std::string& name_space, const std::string& api,
                           const std::string& method, int status, duration took) {
    const http_labels labels{pool, name_space, api, method, status};
    ++codes_[labels];
    if (status >= 300) return;
    auto& histogram =
        latencies_.try_emplace(labels, growing_histogram<9>{.first = 15, .factor = 2.5}).first->second;
    histogram.add(ms_of(took));
}

std::string job_figures::text(const std::vector<counted_queue>& queues) const {
    metrics_page page;
    const std::string redis{redis_front};
    const std::string http{http_front};
    std::map<std::string, std::uint64_t> pool_published;
    std::map<std::string, std::uint64_t> pool_consumed;
    for (const auto& [where, one] : queues_) {
        pool_published[where.pool] += one.published;
        pool_consumed[where.pool] += one.consumed;
    }
    const auto counter = [&](const std::string& name, std::string_view help, const auto& values) {
        page.begin(name, "counter", help);
        for (const auto& [pool, value] : values)
            page.line(name, labels_text({{"pool", pool}}), static_cast<double>(value));
    };
    counter(redis + "publish_jobs", "published jobs", pool_published);
    counter(redis + "consume_jobs", "consumed jobs", pool_consumed);
    counter(redis + "deadletter_respawn_jobs", "dead jobs that were started again", respawned_);
    const auto by_queue = [&](const std::string& name, std::string_view type, std::string_view help,
                              auto what) {
        page.begin(redis + name, type, help);
        for (const auto& [where, one] : queues_) what(redis + name, queue_labels(where), one);
    };
    by_queue("publish_queue_jobs", "counter", "published jobs of a queue",
             [&](const auto& name, const auto& labels, const auto& one) {
                 page.line(name, labels, static_cast<double>(one.published));
             });
    by_queue("consume_queue_jobs", "counter", "consumed jobs of a queue",
             [&](const auto& name, const auto& labels, const auto& one) {
                 page.line(name, labels, static_cast<double>(one.consumed));
             });
    by_queue("job_elapsed_ms", "histogram", "from publication to delivery",
             [&](const auto& name, const auto& labels, const auto& one) {
                 page.histogram(name, labels, one.elapsed);
             });
    by_queue("job_ack_elapsed_ms", "histogram", "from publication to acknowledgement",
             [&](const auto& name, const auto& labels, const auto& one) {
                 page.histogram(name, labels, one.acknowledged);
             });
    page.begin(redis + "queue_sizes", "gauge", "ready jobs of a queue");
    for (const auto& one : queues)
        page.line(redis + "queue_sizes", queue_labels(one.where), static_cast<double>(one.ready));
    page.begin(redis + "deadletter_sizes", "gauge", "dead jobs of a queue");
    for (const auto& one : queues)
        page.line(redis + "deadletter_sizes", queue_labels(one.where), static_cast<double>(one.dead));
    std::map<std::string, std::size_t> timers;
    for (const auto& one : queues) timers[one.where.pool] += one.later;
    page.begin(redis + "timer_sizes", "gauge", "jobs that are due later");
    for (const auto& [pool, value] : timers)
        page.line(redis + "timer_sizes", labels_text({{"pool", pool}}), static_cast<double>(value));
    const auto labels_of = [](const http_labels& of) {
        const auto code = std::to_string(std::get<4>(of));
        return labels_text({{"pool", std::get<0>(of)},
                            {"namespace", std::get<1>(of)},
                            {"api", std::get<2>(of)},
                            {"method", std::get<3>(of)},
                            {"code", code}});
    };
    page.begin(http + "http_codes", "counter", "answers by their status");
    for (const auto& [labels, value] : codes_)
        page.line(http + "http_codes", labels_of(labels), static_cast<double>(value));
    page.begin(http + "latency_milliseconds", "histogram", "how long answers took");
    for (const auto& [labels, value] : latencies_)
        page.histogram(http + "latency_milliseconds", labels_of(labels), value);
    page.begin(http + "rate_limit", "counter", "requests that were one too many");
    for (const auto& [labels, value] : refused_) {
        page.line(
            http + "rate_limit",
            labels_text(
                {{"pool", labels[0]}, {"namespace", labels[1]}, {"token", labels[2]}, {"action", labels[3]}}),
            static_cast<double>(value));
    }
    return page.take();
}

}  // namespace errand::lmstfy
