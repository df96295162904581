// What somebody is told who has waited too long for a submission, or who comes when too much waits already.
#pragma once

#include <errand/error.hpp>
#include <errand/time.hpp>

#include <cstddef>
#include <exception>
#include <string>

namespace errand {

// Of a call that was begun at once the store tells the cause; this much later it is told to those who waited before it.
inline constexpr duration for_the_store{100};

inline std::exception_ptr submit_timed_out(bool sent) {
    return std::make_exception_ptr(store_error{
        std::string{"submit: the store did not answer in time"} +
        (sent ? "; it may have been done" : ", and others waited before this one; it was not done")});
}

// What waits before a store that does not keep up: so much, and one more of any size. On its loop's thread only.
class submit_backlog {
public:
    void enter(std::size_t items, std::size_t bytes) {
        constexpr std::size_t most = 1'000'000;
        constexpr std::size_t most_bytes = std::size_t{256} * 1024 * 1024;
        if (items_ >= most || bytes_ >= most_bytes) {
            throw store_error{
                "submit: " + std::to_string(items_) + " submissions of " + std::to_string(bytes_ / 1024) +
                " KiB wait for the store already, which does not take them as fast as they come; "
                "it was not done"};
        }
        items_ += items;
        bytes_ += bytes;
    }
    void leave(std::size_t items, std::size_t bytes) {
        items_ -= items;
        bytes_ -= bytes;
    }

private:
    std::size_t items_ = 0;
    std::size_t bytes_ = 0;
};

}  // namespace errand
