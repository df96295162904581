#include "progress.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <unistd.h>

namespace {

using seconds = std::chrono::duration<double>;

std::string clock_text(double seconds_left) {
    const auto whole = static_cast<long>(seconds_left + 0.5);
    if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
    return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

std::string bar(double part) {
    constexpr std::size_t width = 24;
    const auto full = std::min(width, static_cast<std::size_t>(part * width));
    return '[' + std::string(full, '#') + std::string(width - full, '.') + ']';
}

}  // namespace

progress::progress(std::size_t files, std::int64_t bytes)
    : files_{files}, bytes_{bytes}, terminal_{::isatty(STDERR_FILENO) == 1} {}

void progress::measure(clock::time_point now) {
    const double passed = seconds{now - measured_}.count();
    if (passed < 0.2) return;
    const double current = static_cast<double>(done_ - measured_done_) / passed;
    // Some seconds of memory: the time left shall not jump with each file.
    const double weight = std::min(1.0, passed / 3);
    rate_ = measured_ == begin_ ? current : rate_ + (current - rate_) * weight;
    measured_ = now;
    measured_done_ = done_;
}

std::string progress::text(clock::time_point now) const {
    const double part = files_ == 0 ? 1 : static_cast<double>(done_) / static_cast<double>(files_);
    const double passed = std::max(0.001, seconds{now - begin_}.count());
    const bool ended = done_ == files_;
    const double rate = ended ? static_cast<double>(done_) / passed : rate_;
    std::string time = ended ? "in " + clock_text(passed) : "time left unknown";
    if (!ended && rate_ > 0) time = clock_text(static_cast<double>(files_ - done_) / rate_) + " left";
    return fmt::format("{:3} %  {}/{} files  {:.1f} of {:.1f} MB  {:.0f} files/s  {}",
                       static_cast<int>(part * 100), done_, files_, static_cast<double>(done_bytes_) / 1e6,
                       static_cast<double>(bytes_) / 1e6, rate, time);
}

void progress::draw(clock::time_point now) {
    const double part = files_ == 0 ? 1 : static_cast<double>(done_) / static_cast<double>(files_);
    if (terminal_) {
        fmt::print(stderr, "\r\x1b[K{} {}", bar(part), text(now));
    } else {
        fmt::print(stderr, "digest: {}\n", text(now));
    }
    std::fflush(stderr);
    shown_ = now;
}

void progress::show() {
    const auto now = clock::now();
    measure(now);
    if (terminal_ || now - shown_ >= std::chrono::seconds{2}) draw(now);
}

void progress::close() {
    draw(clock::now());
    if (terminal_) std::fputc('\n', stderr);
}
