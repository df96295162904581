#include "service/items.hpp"

#include "runtime/async_gate.hpp"
#include "service/refusal.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>

namespace errand::web {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

constexpr std::size_t most_at_a_time = 1000;

}  // namespace

const json::array& need_items(const members& given, std::string_view name) {
    const auto& items = *given.array(name);
    if (!items.empty() && items.size() <= most_at_a_time) return items;
    throw bad_request("\"" + std::string{name} + "\" is to be an array of 1 to 1000 objects",
                      given.path_of(name));
}

const json::object& need_object(const json::value& item, const std::string& path) {
    if (const auto* object = item.if_object()) return *object;
    throw bad_request("this is to be an object", path);
}

json::object error_of_item(const std::exception_ptr& why, const std::string& path) {
    return json_of(refusal_of(why, true, path));
}

awaitable<json::array> each_item(const json::array& items, std::string name, item_answer done,
                                 item_error* error) {
    const auto executor = co_await asio::this_coro::executor;
    json::array results(items.size());
    async_gate ended{executor};
    std::size_t left = items.size();
    for (std::size_t i = 0; i < items.size(); ++i) {
        const auto path = name + '[' + std::to_string(i) + ']';
        asio::co_spawn(executor, done(items[i], path),
                       [&, i, path](const std::exception_ptr& why, json::object got) {
                           if (why) got = {{"error", error(why, path)}};
                           results[i] = std::move(got);
                           if (--left == 0) ended.open();
                       });
    }
    while (left > 0) co_await ended.wait();
    co_return results;
}

}  // namespace errand::web
