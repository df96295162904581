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

template <class Inner, class Take>
bool look(const asio::any_io_executor& executor, const Take& take) {
    const auto* found = executor.target<ambient_executor<Inner>>();
    if (found) take(found->carried());
    return found != nullptr;
}

// Gives what it carries to `take`, which is not called when it carries nothing. The executor within a strand is a copy that ends here.
template <class Take>
void look_into(const asio::any_io_executor& executor, const Take& take) {
    if (look<loop_executor>(executor, take) || look<pool_executor>(executor, take) ||
        look<tracked_loop_executor>(executor, take) || look<tracked_pool_executor>(executor, take) ||
        look<asio::any_io_executor>(executor, take))
        return;
    if (const auto* strand = executor.target<asio::strand<asio::any_io_executor>>())
        look_into(strand->get_inner_executor(), take);
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
    const ambient* found = nullptr;
    look_into(executor, [&found](const std::shared_ptr<const ambient>& carried) { found = carried.get(); });
    return found;
}

std::shared_ptr<ambient> ambient_within(const asio::any_io_executor& executor) {
    std::shared_ptr<ambient> inside;
    look_into(executor, [&inside](const std::shared_ptr<const ambient>& carried) {
        inside = std::make_shared<ambient>(*carried);
        // That one keeps what it was made of itself.
        inside->keeps = carried;
    });
    return inside ? inside : std::make_shared<ambient>();
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
