#include "worker/shelver.hpp"

#include "core/pace.hpp"
#include "core/random.hpp"
#include "runtime/loop.hpp"
#include "runtime/on_loop.hpp"
#include "worker/announce.hpp"

#include <algorithm>

namespace errand {

namespace {
constexpr duration most_between_looks = std::chrono::seconds{60};
// Of the time that tasks are brought ahead: so many looks fall into it.
constexpr int looks_ahead = 4;
}  // namespace

// On the background's store, whose calls end: see shelf/shelved_store.hpp.
awaitable<std::size_t> shelver::pass() {
    std::size_t done = 0;
    std::exception_ptr failure;
    try {
        const auto of = std::make_shared<shelf_pass>();
        while (!of->over) {
            const auto got = co_await on_loop(app().background(),
                                              [of](loop& there) { return there.tasks().fetch_shelved(of); });
            done += got;
        }
        failure = of->failure;
    } catch (...) {
        failure = std::current_exception();
    }
    // Said once for all passes that fail alike.
    if (failure && failures_ == 0) announce_failure(app(), "fetching from the shelf", failure);
    failures_ = failure ? failures_ + 1 : 0;
    co_return done;
}

duration shelver::pause() {
    // A shard that is away must not make others' tasks late.
    const auto most = std::min(app().settings.shelf_ahead / looks_ahead, most_between_looks);
    const auto look = std::min(look_interval(shared_.alive.load(), random_unit()), most);
    return std::min(look * (1 << std::min(failures_, 5)), most);
}

}  // namespace errand
