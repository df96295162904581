// The least that a queue can ask of Redis for tasks that are run at least once, found by their id, refused when they
// come twice, and fenced by the lease of the batch they were claimed in.
#pragma once

#include <string_view>

namespace benchmark_floor {

// Keys: tasks, ready. Args: id, body, id, body ... Answers how many were new.
inline constexpr std::string_view submit_script = R"lua(
local fresh, n = {}, 0
for i = 1, #ARGV, 2 do
  if redis.call('HSETNX', KEYS[1], ARGV[i], ARGV[i + 1]) == 1 then
    n = n + 1
    fresh[n] = ARGV[i]
  end
end
if n > 0 then redis.call('LPUSH', KEYS[2], unpack(fresh)) end
return n
)lua";

// Finishes the batch claimed before and claims the next. A lease is the ids of its batch: whoever finds it expired knows
// what to put back.
// Keys: tasks, ready, leases, history. Args: how many to claim, end of their lease, ids of the batch to finish.
// Answers how many were finished, the ids claimed in one text, their bodies.
inline constexpr std::string_view turn_script = R"lua(
local tasks, ready, leases, history = unpack(KEYS)
local finished = 0
if #ARGV > 2 and redis.call('ZREM', leases, table.concat(ARGV, '', 3)) == 1 then
  finished = redis.call('HDEL', tasks, unpack(ARGV, 3))
  redis.call('LPUSH', history, unpack(ARGV, 3))
  redis.call('LTRIM', history, 0, 999)
end
local ids = redis.call('RPOP', ready, ARGV[1])
if not ids then return {finished, '', {}} end
local claimed = table.concat(ids)
redis.call('ZADD', leases, ARGV[2], claimed)
return {finished, claimed, redis.call('HMGET', tasks, unpack(ids))}
)lua";

}  // namespace benchmark_floor
