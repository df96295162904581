// What lmstfy's dashboards ask of a service: counters and histograms in the text form of Prometheus, under lmstfy's names. Of
// this process, since it began. On the service's loop.
#pragma once

#include <errand/time.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace errand::lmstfy {

// How many were at most as large as each bound, which grow by a factor.
template <std::size_t Bounds>
struct growing_histogram {
    double first = 0;
    double factor = 0;
    std::array<std::uint64_t, Bounds> at_most{};
    std::uint64_t count = 0;
    double sum = 0;

    void add(double value) {
        double bound = first;
        for (auto& n : at_most) {
            if (value <= bound) ++n;
            bound *= factor;
        }
        ++count;
        sum += value;
    }
};

struct place_of_queue {
    std::string pool;
    std::string name_space;
    std::string queue;
    friend auto operator<=>(const place_of_queue&, const place_of_queue&) = default;
};

// As the store counts them when it is asked for.
struct counted_queue {
    place_of_queue where;
    std::size_t ready = 0;
    std::size_t dead = 0;
    std::size_t later = 0;  // delayed, or between two tries
};

class job_figures {
public:
    void published(const place_of_queue& where, std::size_t jobs);
    // How long ago it was published.
    void consumed(const place_of_queue& where, duration elapsed);
    void acknowledged(const place_of_queue& where, duration elapsed);
    void respawned(const std::string& pool, std::int64_t jobs);
    void refused(const std::string& pool, const std::string& name_space, const std::string& token,
                 std::string_view action);
    // @param api the pattern of the path
    void answered(const std::string& pool, const std::string& name_space, const std::string& api,
                  const std::string& method, int status, duration took);

    std::string text(const std::vector<counted_queue>& queues) const;

private:
    struct queue_figures {
        std::uint64_t published = 0;
        std::uint64_t consumed = 0;
        growing_histogram<7> elapsed{.first = 15, .factor = 3.5};
        growing_histogram<7> acknowledged{.first = 15, .factor = 3.5};
    };
    queue_figures& of(const place_of_queue& where);

    using http_labels = std::tuple<std::string, std::string, std::string, std::string, int>;
    std::map<place_of_queue, queue_figures> queues_;
    std::map<std::string, std::int64_t> respawned_;  // by pool
    std::map<std::array<std::string, 4>, std::uint64_t> refused_;
    std::map<http_labels, std::uint64_t> codes_;
    std::map<http_labels, growing_histogram<9>> latencies_;
};

}  // namespace errand::lmstfy
