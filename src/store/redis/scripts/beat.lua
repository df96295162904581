-- beat: shows that a worker is alive.
-- Keys:    the shard's
-- Args:    worker, card, for how long (ms)
-- Returns: 'ok', now, how many workers are alive
-- Cost:    O(log workers)
free_first()
call('ZADD', workers, now + tonumber(ARGV[3]), ARGV[1])
call('HSET', cards, ARGV[1], ARGV[2])
return {'ok', now, call('ZCOUNT', workers, '(' .. now, '+inf')}
