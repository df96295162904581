// What is counted by names.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace errand {

// Two names under which something is counted; the second may be empty.
using series_name = std::pair<std::string, std::string>;

struct series_hash {
    using is_transparent = void;
    std::size_t operator()(const std::pair<std::string_view, std::string_view>& of) const noexcept {
        const std::hash<std::string_view> hash;
        return hash(of.first) * 31 + hash(of.second);
    }
    std::size_t operator()(const series_name& of) const noexcept {
        return (*this)(std::pair<std::string_view, std::string_view>{of.first, of.second});
    }
};

struct series_equal {
    using is_transparent = void;
    template <class A, class B>
    bool operator()(const A& a, const B& b) const noexcept {
        return std::string_view{a.first} == std::string_view{b.first} &&
               std::string_view{a.second} == std::string_view{b.second};
    }
};

template <class Cell>
using series = std::unordered_map<series_name, Cell, series_hash, series_equal>;

}  // namespace errand
