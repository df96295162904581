// The tasks of one type in several states as one list, newest first. On the store's executor.
#pragma once

#include "store/store.hpp"

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace errand::flow {

// Throws refusal (400).
[[noreturn]] void refuse_cursor();

// Each state has lists of its own in the store, each in its order; whichever shows the latest creation at its front comes next. So
// it is the order of creation as far as theirs are: those of what waits for a time, and of what has ended, go by these times.
class age_list {
public:
    // `read_ahead`: so many are read at once of each list.
    age_list(store& in, std::string queue, std::size_t read_ahead)
        : in_{in}, queue_{std::move(queue)}, read_ahead_{read_ahead} {}

    // `after`: what cursor() said. Throws refusal (400) when that is none.
    awaitable<void> open(std::vector<state> states, std::string after);
    // Nullopt: there are no more.
    awaitable<std::optional<found_task>> next();
    // Behind what was given; empty when that was all.
    std::string cursor() const;

private:
    // Of one that was created then: younger ones come first, and of the same time one id after the other.
    struct age {
        incarnation life = 0;
        task_id id{};
        friend auto operator<=>(const age&, const age&) = default;
    };
    struct entry {
        age of;
        list_item item;
    };
    struct source {
        state where = state::ready;
        task_list list;
        std::string given_to{};     // behind what was given
        std::string read_to{};      // behind what was read
        bool more = true;           // in the store
        std::optional<age> last{};  // given of the page that begins at `given_to`, of a list without an order
        std::deque<entry> ahead{};
    };

    awaitable<void> read(source& one);
    static std::string name_of(const source& one);

    store& in_;
    std::string queue_;
    std::size_t read_ahead_;
    std::vector<source> sources_{};
};

}  // namespace errand::flow
