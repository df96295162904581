#include "support/redis_fixture.hpp"

#include <algorithm>
#include <array>

namespace errand::test {

std::string redis_backing::size_of(const std::string& part) const {
    const auto type = server.command({"TYPE", key(part)});
    if (type == "list") return server.command({"LLEN", key(part)});
    if (type == "hash") return server.command({"HLEN", key(part)});
    if (type == "zset") return server.command({"ZCARD", key(part)});
    if (type == "set") return server.command({"SCARD", key(part)});
    return "0";
}

long redis_backing::kept(const std::string& part) const {
    constexpr std::array with_sentinel{"tasks",   "notes", "own",     "claims", "leases", "lanes",
                                       "watched", "stale", "waiting", "stages", "links",  "counts"};
    // Behind all times stand the sentinel and the resolvers that wait.
    if (part == "outbox") return std::stol(server.command({"ZCOUNT", key(part), "-inf", "(inf"}));
    const auto size = std::stol(size_of(part));
    return std::ranges::find(with_sentinel, part) == with_sentinel.end() ? size : size - 1;
}

void redis_backing::make_overdue(const task_id& id) {
    server.command({"ZADD", key("outbox"), "0", std::string{id.view()} + 'w'});
}

void redis_backing::set_last_claim(claim_number number) {
    server.command({"HSET", key("control"), "claim", std::to_string(number)});
}

}  // namespace errand::test
