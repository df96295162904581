#include "receipts.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <random>
#include <stdexcept>

namespace asio = boost::asio;

errand::awaitable<std::string> mailer::send(const order& o) {
    asio::steady_timer network{co_await asio::this_coro::executor, 2ms};
    co_await network.async_wait(asio::use_awaitable);
    thread_local std::minstd_rand mood{std::random_device{}()};
    if (mood() % 10 == 0) throw std::runtime_error{server_ + ": 451 try again later"};
    co_return url_of(o);
}

std::string mailer::url_of(const order& o) {
    return "https://shop.example/receipts/" + o.id + "?cents=" + std::to_string(o.cents);
}

errand::awaitable<receipt> send_receipt::perform(order o) {
    co_return receipt{o.id, co_await mailer_.send(o)};
}

ERRAND_DEFINE_HANDLER(send_receipt)
