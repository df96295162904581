#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

// How far the work is, on the standard error stream: one line that is drawn anew on a terminal, else a line
// every two seconds.
class progress {
public:
    progress(std::size_t files, std::int64_t bytes);

    void finished(std::int64_t bytes) {
        ++done_;
        done_bytes_ += bytes;
    }
    // Shows it when it is time again.
    void show();
    // The last line.
    void close();

private:
    using clock = std::chrono::steady_clock;

    std::string text(clock::time_point now) const;
    void draw(clock::time_point now);
    void measure(clock::time_point now);

    const std::size_t files_;
    const std::int64_t bytes_;
    const bool terminal_;
    const clock::time_point begin_ = clock::now();
    clock::time_point measured_ = begin_;
    clock::time_point shown_ = begin_;
    std::size_t measured_done_ = 0;
    double rate_ = 0;  // files a second, of late
    std::size_t done_ = 0;
    std::int64_t done_bytes_ = 0;
};
