-- beat: shows that a worker is alive.
-- Keys:    the shard's
-- Args:    worker, card, for how long (ms), how often a queue is looked after (ms), the queues that it serves
-- Returns: 'ok', now, how many workers are alive, 1 when it is to look after its queues now, version of what is set of
--          handlers ('': nothing was ever), 1 when nobody has kept the tally of this minute yet (tally.lua)
-- Cost:    O(log workers + queues)
-- Needs:   lib_there lib_names
free_first()
local worker = process_of(ARGV[1])
call('ZADD', workers, now + tonumber(ARGV[3]), worker)
call('HSET', cards, worker, ARGV[2])
local every, looks = tonumber(ARGV[4]), 0
for i = 5, #ARGV do
  local field = 'looked:' .. ARGV[i]
  local last = tonumber(call('HGET', control, field) or 0)
  -- A clock that was set back must not put it off.
  if last > now or last + every <= now then
    call('HSET', control, field, digits(now))
    looks = 1
  end
end
local tallied = call('HGET', control, 'tallied') == digits(math.floor(now / 60000))
return {'ok', now, call('ZCOUNT', workers, '(' .. now, '+inf'), looks, call('HGET', control, 'settings') or '', tallied and 0 or 1}
