#include "fault/plan.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <utility>

namespace fault_test {
namespace {

using namespace std::chrono_literals;

int below(int limit, dice& random) { return std::uniform_int_distribution{0, limit - 1}(random); }

errand::duration within(errand::duration length, dice& random) {
    return errand::duration{below(static_cast<int>(length.count()), random)};
}

errand::duration in_a_burst(errand::duration length, dice& random) {
    return burst * below(static_cast<int>(length / burst), random) + within(15ms, random);
}

planned task_at(errand::duration when, std::string key, dice& random) {
    static constexpr std::array queues{"north", "south", "east"};
    return {.when = when,
            .key = std::move(key),
            .queue = queues[static_cast<std::size_t>(below(3, random))],
            .failures = below(20, random) == 0 ? 1 : 0,
            .length = within(20ms, random),
            .parents = {}};
}

void sort_by_time(plan& all) {
    for (auto& list : all) std::ranges::stable_sort(list, {}, &planned::when);
}

}  // namespace

plan make_pairs(std::size_t pairs, errand::duration length, dice& random) {
    plan all(submitters);
    const auto soon = [&] { return within(30ms, random); };
    for (std::size_t i = 0; i < pairs; ++i) {
        const auto name = std::to_string(i);
        const auto begin = in_a_burst(length, random);
        const int order = below(3, random);  // 0: the parent first, 1: the child first, 2: at once
        auto parent = task_at(order == 1 ? begin + soon() : begin, "a" + name, random);
        auto child = task_at(order == 0 ? begin + soon() : begin, "b" + name, random);
        child.parents = {parent.key};
        const auto by = static_cast<std::size_t>(below(submitters, random));
        const auto other =
            order == 2 ? (by + 1) % submitters : static_cast<std::size_t>(below(submitters, random));
        if (i % 4 == 0) {
            auto last = task_at(begin + soon() - soon(), "c" + name, random);
            last.parents = {child.key};
            all[by].push_back(std::move(last));
        }
        for (int more = i % 500 == 0 ? 250 : 0; more > 0; --more) {
            auto one = task_at(begin + soon() - soon(), "d" + name + '-' + std::to_string(more), random);
            one.parents = {parent.key};
            all[static_cast<std::size_t>(more) % submitters].push_back(std::move(one));
        }
        all[by].push_back(std::move(parent));
        all[other].push_back(std::move(child));
    }
    sort_by_time(all);
    return all;
}

plan make_graph(std::size_t tasks, errand::duration length, dice& random) {
    plan all(submitters);
    for (std::size_t i = 0; i < tasks; ++i) {
        auto one = task_at(in_a_burst(length, random), "g" + std::to_string(i), random);
        const int wanted = i == 0 ? 0 : below(4, random);
        // Most parents are near, so that there are long paths; some are far.
        for (int p = 0; p < wanted; ++p) {
            const auto near = std::min<std::size_t>(i, 50);
            const auto back = below(static_cast<int>(p == 0 ? near : i), random);
            auto parent = "g" + std::to_string(i - 1 - static_cast<std::size_t>(back));
            if (std::ranges::find(one.parents, parent) == one.parents.end())
                one.parents.push_back(std::move(parent));
        }
        all[static_cast<std::size_t>(below(submitters, random))].push_back(std::move(one));
    }
    sort_by_time(all);
    return all;
}

plan make_rings(std::size_t rings, errand::duration length, dice& random) {
    plan all(submitters);
    for (std::size_t i = 0; i < rings; ++i) {
        const auto when = within(length, random);
        const int size = 2 + below(submitters - 1, random);
        const auto name = [&](int at) {
            return std::string(1, static_cast<char>('x' + at % size)) + std::to_string(i);
        };
        for (int at = 0; at < size; ++at) {
            auto one = task_at(when, name(at), random);
            one.parents = {name(at + 1)};
            all[(i + static_cast<std::size_t>(at)) % submitters].push_back(std::move(one));
        }
    }
    sort_by_time(all);
    return all;
}

plan make_families(std::size_t families, errand::duration length, dice& random) {
    plan all(submitters);
    for (std::size_t i = 0; i < families; ++i) {
        const auto begin = in_a_burst(length, random);
        const auto add = [&](const char* letter, int failures, const std::vector<std::string>& parents) {
            const auto name = [&](const std::string& its) { return its + std::to_string(i); };
            auto one = task_at(begin + within(30ms, random), name(letter), random);
            if (failures != 0) one.failures = failures;
            for (const auto& parent : parents) one.parents.push_back(name(parent));
            all[static_cast<std::size_t>(below(submitters, random))].push_back(std::move(one));
        };
        add("broken", -1, {});
        add("sound", 0, {});
        add("left", 0, {"broken"});
        add("right", 0, {"broken"});
        add("both", 0, {"left", "right"});
        add("last", 0, {"both", "sound"});
    }
    sort_by_time(all);
    return all;
}

void write(const std::vector<planned>& list, const std::string& path) {
    std::ofstream out{path};
    for (const auto& one : list) {
        out << one.when.count() << ' ' << one.key << ' ' << one.queue << ' ' << one.failures << ' '
            << one.length.count();
        for (const auto& parent : one.parents) out << ' ' << parent;
        out << '\n';
    }
}

std::vector<planned> read(const std::string& path) {
    std::vector<planned> list;
    std::ifstream in{path};
    for (std::string text; std::getline(in, text);) {
        std::istringstream line{text};
        planned one;
        errand::duration::rep when = 0, length = 0;
        line >> when >> one.key >> one.queue >> one.failures >> length;
        one.when = errand::duration{when};
        one.length = errand::duration{length};
        for (std::string parent; line >> parent;) one.parents.push_back(parent);
        list.push_back(std::move(one));
    }
    return list;
}

}  // namespace fault_test
