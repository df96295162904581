// The floor's words for common/measure.hpp.
#pragma once

#include "common/measure.hpp"

#include <cstdint>
#include <string>

namespace benchmark_floor {

class options {
public:
    options(int count, char** words) : words_{count, words} {}
    std::int64_t number(const std::string& name, std::int64_t otherwise) const {
        return static_cast<std::int64_t>(words_.number(name, static_cast<std::size_t>(otherwise)));
    }

private:
    bench::arguments words_;
};

// Counts from its making until stop().
class stopwatch {
public:
    void stop() { end_ = bench::reading::now(); }
    void print(std::int64_t tasks) const {
        bench::result{}.set(static_cast<std::size_t>(tasks), begin_, end_).print();
    }

private:
    bench::reading begin_ = bench::reading::now();
    bench::reading end_;
};

}  // namespace benchmark_floor
