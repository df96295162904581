// Every task of a soak, counted. From any thread.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace soak {

inline std::int64_t now_ms() {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

// Those of the shelf were submitted before the others, and fall due beside them.
enum class from : unsigned char { submitters, shelf };

// What is known of each task, by its number.
class register_of_tasks {
public:
    explicit register_of_tasks(std::size_t most) : tasks_(most) {}

    std::optional<std::int64_t> take(std::size_t count) {
        const auto first = next_.fetch_add(count);
        if (first + count > tasks_.size()) return std::nullopt;
        return static_cast<std::int64_t>(first);
    }
    void accept(std::int64_t first, std::size_t count, from where = from::submitters) {
        const auto begin = static_cast<std::size_t>(first);
        for (std::size_t at = 0; at < count; ++at) tasks_[begin + at] |= accepted_mark;
        of(where).accepted += count;
    }
    void run(std::int64_t number, std::int64_t due, from where = from::submitters) {
        if (now_ms() < due) ++early;
        const auto before = tasks_.at(static_cast<std::size_t>(number)).fetch_add(1);
        ++((before & ~accepted_mark) == 0 ? of(where).ran : again);
    }
    std::size_t accepted(from where = from::submitters) const { return of(where).accepted; }
    std::size_t ran(from where = from::submitters) const { return of(where).ran; }
    std::size_t open(from where = from::submitters) const {
        const std::size_t run = of(where).ran, all = of(where).accepted;
        return all > run ? all - run : 0;
    }
    std::size_t lost() const {
        return static_cast<std::size_t>(std::ranges::count_if(tasks_, [](const auto& one) {
            return one.load() == accepted_mark;
        }));
    }

    std::atomic<std::size_t> early{0};  // began before their time
    std::atomic<std::size_t> again{0};  // begun once more: their report came too late to be accepted
    std::atomic<std::size_t> ends{0};   // that the store has accepted

private:
    static constexpr std::uint8_t accepted_mark = 0x80;
    struct sums {
        std::atomic<std::size_t> accepted{0}, ran{0};
    };
    sums& of(from where) { return sums_[static_cast<std::size_t>(where)]; }
    const sums& of(from where) const { return sums_[static_cast<std::size_t>(where)]; }

    std::vector<std::atomic<std::uint8_t>> tasks_;
    std::atomic<std::size_t> next_{0};
    std::array<sums, 2> sums_;
};

}  // namespace soak
