#include "trial/limited.hpp"

#include "support/task_journal.hpp"

#include <stdexcept>

namespace trial {

using errand::awaitable;

namespace {

// The journal's two lines of an attempt.
class stay_within_limits {
public:
    stay_within_limits(const errand::test::task_journal& book, const errand::task_context& self,
                       std::string where, int number)
        : book_{book}, where_{std::move(where)}, number_{number}, id_{self.id()}, fence_{self.fence()} {
        book_.add("enters:" + id_, where_, number_, fence_);
    }
    ~stay_within_limits() { book_.add("leaves:" + id_, where_, number_, fence_); }
    stay_within_limits(const stay_within_limits&) = delete;
    stay_within_limits& operator=(const stay_within_limits&) = delete;

private:
    const errand::test::task_journal& book_;
    const std::string where_;
    const int number_;
    const std::string id_;
    const std::uint64_t fence_;
};

template <class... Handlers>
void define_handlers() {
    (static_cast<void>(errand::detail::definition<Handlers>{}), ...);
}

}  // namespace

void take_limited_handlers() {
    define_handlers<limited_total, limited_keyed, limited_shared, limited_rate, limited_spread,
                    limited_both>();
}

awaitable<mark> limited::pass(std::string where, int number, errand::duration length) {
    auto& self = co_await errand::this_task();
    {
        const stay_within_limits stay{book, self, std::move(where), number};
        co_await toil(length);
    }
    if (self.attempt() == 1 && number % 6 == 0) throw std::runtime_error{"the chore failed"};
    co_return co_await done(number);
}

awaitable<mark> limited_total::perform(int number, int key, errand::duration length) {
    return pass(where(key), number, length);
}
awaitable<mark> limited_keyed::perform(int number, int key, errand::duration length) {
    return pass(where(key), number, length);
}
awaitable<mark> limited_shared::perform(int number, int key, errand::duration length) {
    return pass(where(key), number, length);
}
awaitable<mark> limited_rate::perform(int number, int key, errand::duration length) {
    return pass(where(key), number, length);
}
awaitable<mark> limited_spread::perform(int number, int key, errand::duration length) {
    return pass(where(key), number, length);
}
awaitable<mark> limited_both::perform(int number, int key, errand::duration length) {
    return pass(where(key), number, length);
}

}  // namespace trial
