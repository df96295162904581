// The shelf that is measured, in BENCH_DATABASE, and the tasks that wait there. Each measure does its work, checks it, and returns what
// it measured.
#pragma once

#include <errand/errand.hpp>

#include "load/measure.hpp"
#include "load/submitting.hpp"
#include "load/tasks.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace shelved {

using bench::arguments;
using bench::result;

// Does nothing, later.
struct later {
    errand::awaitable<void> perform(load::item what);
};
// The same under a name.
struct named_later {
    errand::awaitable<void> perform(load::item what);
    static std::string biz_id(const load::item& what);
};

// Of a program that brings what will be due so soon.
errand::config settings(errand::duration ahead);
// How much the shelf's tables take on the disk, with their indexes.
std::int64_t bytes_on_disk(errand::app& app);
// Tasks 1 to `tasks`, in bulks that fall due one after the other, the first at `first` and the last `span` later; from so many
// coroutines. Throws unless all of them are on the shelf then.
struct filling {
    std::size_t tasks = 0;
    bool named = false;
    errand::time_point first{};
    errand::duration span{};
    std::size_t callers = 4;
};
errand::awaitable<void> fill(errand::app& app, filling what);

errand::time_point now();

result in(const arguments& how);  // tasks=N named=1 callers=N; days before they are due
// What `in` has left there comes back, by workers=N, which do nothing else; with lives=N they run so many other tasks a second.
result out(const arguments& how);
// lives=N tasks a second for seconds=N, run by workers=N: what Redis takes for these without a shelf.
result alone(const arguments& how);
// tasks=N fall due one after the other, rate=N a second, and are run by workers=N beside lives=N others a second.
result due(const arguments& how);

}  // namespace shelved

// Nothing is kept of what has ended: with the usual retention that alone would be more than the memory that is measured.
ERRAND_DECLARE_HANDLER(shelved::later, .name = "later", .retention = std::chrono::seconds{0},
                       .shelve_after = std::chrono::seconds{1})
ERRAND_DECLARE_HANDLER(shelved::named_later, .name = "named_later", .retention = std::chrono::seconds{0},
                       .shelve_after = std::chrono::seconds{1})
