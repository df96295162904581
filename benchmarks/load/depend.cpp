// Tasks that wait for tasks: one for many, many for one, one after the other.
#include "submitting.hpp"

namespace load {

namespace {

using handles = std::vector<errand::handle<void>>;

errand::awaitable<handles> many(errand::proxy<nop> by, std::size_t from, std::size_t to) {
    handles all;
    while (from < to) {
        std::vector<item> items;
        for (; from < to && items.size() < 1000; ++from) items.push_back({static_cast<std::int64_t>(from)});
        auto some = co_await by.perform_bulk(items);
        all.insert(all.end(), some.begin(), some.end());
    }
    co_return all;
}

// Ids run from 1 to `tasks`.
enum class shape : unsigned char { out, in, chain };

errand::awaitable<void> submit_shape(errand::app& app, shape as, std::size_t tasks) {
    auto nops = app.handler<nop>();
    if (as == shape::out) {
        auto root = co_await nops.perform_async(item{1});
        co_await many(nops.with({.after = {root}}), 2, tasks + 1);
    } else if (as == shape::in) {
        const auto parents = co_await many(nops, 1, tasks);
        std::vector<errand::dependency> after{parents.begin(), parents.end()};
        co_await nops.with({.after = std::move(after)}).perform_async(item{static_cast<std::int64_t>(tasks)});
    } else {
        auto last = co_await nops.perform_async(item{1});
        for (std::size_t i = 2; i <= tasks; ++i) {
            last = co_await nops.with({.after = {last}}).perform_async(item{static_cast<std::int64_t>(i)});
        }
    }
}

}  // namespace

result depend(const arguments& how) {
    const auto tasks = how.number("tasks", 100'000);
    const auto as = how.number("chain", 0) != 0 ? shape::chain
                    : how.number("in", 0) != 0  ? shape::in
                                                : shape::out;
    count().expected = tasks;
    errand::app app{over_socket()};
    const auto before = now_ns();
    app.block_on(submit_shape(app, as, tasks));
    const auto submitted = now_ns();
    const auto from = reading::now();
    app.block_on(app.start());
    wait_for_all();
    app.block_on(app.stop());
    check_all(tasks);
    return result{}
        .set(tasks, from, reading::now())
        .set("submit_seconds", static_cast<double>(submitted - before) / 1e9);
}

}  // namespace load
