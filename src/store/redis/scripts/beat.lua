-- beat: shows that a worker is alive, and keeps the tally of what happened.
-- Keys:    the shard's; `tallies`
-- Args:    worker, card, for how long (ms), format, number of shards
-- Returns: 'ok', now, how many workers are alive
-- Cost:    O(log workers)
free_first()
-- A Redis that lost its data under living connections is made ready again.
if call('HEXISTS', control, 'format') == 0 then make_shard(ARGV[4], ARGV[5]) end
local worker = process_of(ARGV[1])
call('ZADD', workers, now + tonumber(ARGV[3]), worker)
call('HSET', cards, worker, ARGV[2])
keep_tally(KEYS[first_queue_key])
return {'ok', now, call('ZCOUNT', workers, '(' .. now, '+inf')}
