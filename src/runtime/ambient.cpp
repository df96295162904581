#include "runtime/ambient.hpp"

#include <boost/asio/strand.hpp>

namespace errand {

namespace asio = boost::asio;

namespace {

using loop_executor = asio::io_context::executor_type;
using pool_executor = asio::thread_pool::executor_type;

// Executors that are required or preferred otherwise than by default are other types; these are the ones that Asio's
// own operations and users' coroutines meet.
using tracked_loop_executor =
    std::decay_t<decltype(asio::require(std::declval<loop_executor>(),
                                        asio::execution::outstanding_work.tracked))>;
using tracked_pool_executor =
    std::decay_t<decltype(asio::require(std::declval<pool_executor>(),
                                        asio::execution::outstanding_work.tracked))>;

using carried_ambient = std::shared_ptr<const ambient>;

template <class Inner>
const carried_ambient* look(const asio::any_io_executor& executor) noexcept {
    const auto* found = executor.target<ambient_executor<Inner>>();
    return found ? &found->carried() : nullptr;
}

// Null when it carries nothing.
const carried_ambient* carried_by(const asio::any_io_executor& executor) noexcept {
    if (const auto* found = look<loop_executor>(executor)) return found;
    if (const auto* found = look<pool_executor>(executor)) return found;
    if (const auto* found = look<tracked_loop_executor>(executor)) return found;
    if (const auto* found = look<tracked_pool_executor>(executor)) return found;
    if (const auto* found = look<asio::any_io_executor>(executor)) return found;
    if (const auto* strand = executor.target<asio::strand<asio::any_io_executor>>()) {
        return carried_by(strand->get_inner_executor());
    }
    return nullptr;
}

template <class Inner>
asio::any_io_executor wrap(Inner inner, std::shared_ptr<const ambient> carried) {
    return ambient_executor<Inner>{std::move(inner), std::move(carried)};
}

template <class Inner>
bool rewrap(const asio::any_io_executor& executor, std::shared_ptr<const ambient>& carried,
            asio::any_io_executor& out) {
    if (const auto* bare = executor.target<Inner>()) {
        out = wrap(*bare, std::move(carried));
        return true;
    }
    if (const auto* wrapped = executor.target<ambient_executor<Inner>>()) {
        out = wrap(wrapped->inner(), std::move(carried));
        return true;
    }
    return false;
}

}  // namespace

const ambient* ambient_of(const asio::any_io_executor& executor) noexcept {
    const auto* carried = carried_by(executor);
    return carried ? carried->get() : nullptr;
}

std::shared_ptr<ambient> ambient_within(const asio::any_io_executor& executor) {
    const auto* carried = carried_by(executor);
    if (!carried) return std::make_shared<ambient>();
    auto inside = std::make_shared<ambient>(**carried);
    // That one keeps what it was made of itself.
    inside->keeps = *carried;
    return inside;
}

asio::any_io_executor with_ambient(const asio::any_io_executor& executor,
                                   std::shared_ptr<const ambient> carried) {
    asio::any_io_executor out;
    if (rewrap<loop_executor>(executor, carried, out) || rewrap<pool_executor>(executor, carried, out) ||
        rewrap<tracked_loop_executor>(executor, carried, out) ||
        rewrap<tracked_pool_executor>(executor, carried, out) ||
        rewrap<asio::any_io_executor>(executor, carried, out)) {
        return out;
    }
    // An executor of the user's own kind (a strand, another library's): slower, but it carries all the same.
    return wrap(executor, std::move(carried));
}

asio::any_io_executor with_ambient(loop_executor executor, std::shared_ptr<const ambient> carried) {
    return wrap(executor, std::move(carried));
}

asio::any_io_executor with_ambient(pool_executor executor, std::shared_ptr<const ambient> carried) {
    return wrap(executor, std::move(carried));
}

}  // namespace errand
