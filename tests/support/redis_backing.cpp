#include "store/redis/slot.hpp"
#include "support/cluster_backing.hpp"

#include <algorithm>
#include <array>

namespace errand::test {

cluster_backing::cluster_backing(std::string name_space, std::unique_ptr<redis_cluster> own)
    : name_space_{std::move(name_space)}, tag_{redis::spread_tag(name_space_, 0, 1)}, own_{std::move(own)} {}

redis_cluster& cluster_backing::servers() const { return own_ ? *own_ : shared_cluster(); }
unsigned cluster_backing::slot() const { return redis::slot_of(tag_); }

void cluster_backing::place(store_settings& with) {
    with.url = servers().url();
    with.name_space = name_space_;
}

std::string cluster_backing::key(const std::string& part) const { return "errand:{" + tag_ + "}:" + part; }

std::string cluster_backing::command(const std::vector<std::string>& words) const {
    return servers().command(slot(), words);
}

std::unique_ptr<backing> make_cluster_backing() {
    static int made = 0;
    return std::make_unique<cluster_backing>("store-" + std::to_string(++made));
}

std::string redis_parts::size_of(const std::string& part) const {
    const auto type = command({"TYPE", key(part)});
    if (type == "list") return command({"LLEN", key(part)});
    if (type == "hash") return command({"HLEN", key(part)});
    if (type == "zset") return command({"ZCARD", key(part)});
    if (type == "set") return command({"SCARD", key(part)});
    return "0";
}

long redis_parts::kept(const std::string& part) const {
    constexpr std::array with_sentinel{"tasks",   "notes", "own",     "claims", "leases", "lanes",
                                       "watched", "stale", "waiting", "stages", "links",  "counts"};
    // Behind all times stand the sentinel and the resolvers that wait.
    if (part == "outbox") return std::stol(command({"ZCOUNT", key(part), "-inf", "(inf"}));
    const auto size = std::stol(size_of(part));
    // One long value, since the first slot was taken (scripts/lib_slots.lua).
    if (part == "slots") return size - std::stol(command({"HEXISTS", key(part), "."}));
    return std::ranges::find(with_sentinel, part) == with_sentinel.end() ? size : size - 1;
}

void redis_parts::make_overdue(const task_id& id) {
    command({"ZADD", key("outbox"), "0", std::string{id.view()} + 'w'});
}

void redis_parts::set_last_claim(claim_number number) {
    command({"HSET", key("control"), "claim", std::to_string(number)});
}

}  // namespace errand::test
