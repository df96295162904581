-- requests: counts one of those that go by a name, unless too many were counted in the time before it, or takes one back.
-- Keys:    the shard's; `requests:<name>`
-- Args:    how many at most, in this time (us), mark of the one that is taken back ('': none)
-- Returns: 'ok', now, the mark of the one that was counted ('': it would be one too many, or one was taken back)
-- Cost:    O(log requests); of those that count no longer a thousand are forgotten
-- `requests:<name>` is a sorted set: mark → when (us). It expires.
-- Needs:   lib_there lib_queues
local requests, most, per, back = KEYS[#KEYS], tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3]
free_first()
if back ~= '' then
  call('ZREM', requests, back)
  return {'ok', now, ''}
end
-- No two have one mark.
local last, at = call('ZRANGE', requests, -1, -1)[1], micros
if last then at = math.max(at, tonumber(last) + 1) end
-- From a clock that was set back by more than that time counts anew.
local over = at - micros > per and '+inf' or digits(at - per)
local old, all = call('ZCOUNT', requests, '-inf', over), call('ZCARD', requests)
if over == '+inf' then at = micros end
if old > 0 then call('ZPOPMIN', requests, over == '+inf' and old or math.min(old, 1000)) end
if all - old >= most then return {'ok', now, ''} end
call('ZADD', requests, digits(at), digits(at))
call('EXPIRE', requests, math.ceil(per / 1000000) + 1)
return {'ok', now, digits(at)}
