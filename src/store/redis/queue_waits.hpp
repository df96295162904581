// Which of its queues a worker's next claim asks. Where it stands in the idle sets it need not look: whoever takes it off one says
// so, and of which queue. So a worker on a hundred queues that is told of one asks that one.
//
// Pure: is told what is sent, answered and heard, in the order in which that happens here.
//
// Invariant: when it is said to wait in all queues but those told of, it stands in the idle set of each other one, or a message that
// it was taken off is on its way, or the connection is lost and forget() will be called. For a claim's answer that it waits holds
// only if no message about that queue came since the claim was sent, and no claim sent after it took the worker off.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace errand::redis {

class queue_waits {
public:
    // A claim that was sent.
    struct question {
        std::uint64_t at = 0;
        bool some = false;  // only those told of were asked
    };

    // It was taken off the idle set of this queue; empty: nobody knows of which.
    void told(std::string_view queue);
    // It may stand in no idle set, or messages may have been lost.
    void forget();

    // Those of `queues` to be asked alone, in their order; empty: all are to be asked.
    std::vector<std::string_view> to_ask(std::span<const std::string> queues) const;
    // A claim goes out, of a worker that always has these queues.
    question asks(std::span<const std::string> queues, bool some);
    // `filled`: it gave all that was asked for, so this worker waits in none of the queues that it asked. False when the worker is to
    // claim again: what the answer says is not so any more, or of some queues there may be more than they were asked for.
    [[nodiscard]] bool answered(const question& of, bool filled);
    // The claim that was sent last.
    std::uint64_t last_asked() const noexcept { return asked_; }

private:
    std::uint64_t events_ = 0;
    std::uint64_t asked_ = 0;
    std::uint64_t forgotten_ = 0;                             // when that was last
    std::uint64_t filled_ = 0;                                // the latest claim of all queues that was
    bool many_ = false;                                       // it has several queues
    bool waits_ = false;                                      // in all queues but these
    std::map<std::string, std::uint64_t, std::less<>> told_;  // when it was
};

}  // namespace errand::redis
