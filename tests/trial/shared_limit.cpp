#include "trial/shared_limit.hpp"

namespace trial {

void set_shared_limit(errand::app& app, const errand::test::task_journal& book, int number, int most) {
    const errand::limit_rule rule{.max_running = most, .rate = shared_limit.rule().rate};
    book.add("sets", "shared", number, static_cast<std::uint64_t>(most));
    app.block_on(app.set_limit(shared_limit.name(), rule));
    book.add("set", "shared", number, static_cast<std::uint64_t>(most));
}

void clear_shared_limit(errand::app& app, const errand::test::task_journal& book, int number) {
    book.add("sets", "shared", number, most_of_shared);
    app.block_on(app.clear_limit(shared_limit.name()));
    book.add("set", "shared", number, most_of_shared);
}

}  // namespace trial
