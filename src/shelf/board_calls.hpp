// How calls on the shelf's database are made: for whoever makes them, see board.hpp.
#pragma once

#include <errand/error.hpp>

#include "shelf/board.hpp"

#include <boost/asio/cancel_after.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <chrono>
#include <string>

namespace errand::shelf {

inline constexpr std::chrono::seconds patience{5};
inline constexpr std::chrono::milliseconds pause_between{50};
// A table may have been made or dropped by another program just then, and of many that make those of new days one is refused at each.
inline constexpr int most_refusals = 10;
inline constexpr std::size_t ids_per_statement = 100;

// `work`: made anew each time, and given up after `limit`.
template <class Work>
auto board::patiently(Work work, std::chrono::seconds limit) -> std::invoke_result_t<Work&> {
    const auto until = std::chrono::steady_clock::now() + patience;
    std::string why;
    for (int refusals = 0;;) {
        try {
            co_return co_await boost::asio::co_spawn(context_.get_executor(), work(),
                                                     boost::asio::cancel_after(limit,
                                                                               boost::asio::use_awaitable));
        } catch (const serialization_failure& e) {
            why = e.what();
        } catch (const database_error& e) {
            why = e.what();
            made_.clear();
            if (++refusals == most_refusals)
                refuse("refuses what is asked of it: " + why +
                       "; its user must be allowed to make tables there, read, write and drop them");
        } catch (const store_error& e) {
            why = e.what();
        } catch (const boost::system::system_error&) {
            why = "it does not answer";
        }
        if (std::chrono::steady_clock::now() >= until)
            refuse("is away (" + why +
                   "): start it, or correct ERRAND_SHELF; what it has stays there, and tasks "
                   "that fall due soon and have no biz_id are taken without it");
        boost::asio::steady_timer timer{context_, pause_between};
        co_await timer.async_wait(boost::asio::use_awaitable);
    }
}

}  // namespace errand::shelf
