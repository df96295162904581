#include "trial/gathered.hpp"

#include "support/task_journal.hpp"

#include <stdexcept>
#include <unistd.h>

namespace trial {

using namespace std::chrono_literals;

errand::awaitable<std::vector<mark>> gathered::perform(std::vector<piece> all) {
    auto& self = co_await errand::this_task();
    const auto write = [&](const std::string& what, const piece& one) {
        book.add(what + self.id(), collect_key(one), one.number, self.fence());
    };
    for (const auto& one : all) write("batch:", one);
    book.add("listed:" + self.id(), "-", static_cast<int>(all.size()), self.fence());
    co_await toil(10ms);
    if (self.attempt() == 1 && self.fence() % 5 == 0) throw std::runtime_error{"the run failed"};
    std::vector<mark> ends;
    for (std::size_t at = 0; at < all.size(); ++at) {
        if (all[at].number % 7 == 0 && self.fence() % 7 < 3) {
            write("unfit:", all[at]);
            self.fail_item(at, "the piece failed");
        }
        ends.push_back({self.fence(), static_cast<int>(::getpid()), {}});
    }
    co_await done(0);
    co_return ends;
}

}  // namespace trial

ERRAND_DEFINE_HANDLER(trial::gathered)
