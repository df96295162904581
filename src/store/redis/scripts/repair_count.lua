-- repair_count: sets a counter that is off, if it still is what was seen.
-- Keys:    the shard's
-- Args:    field, the value seen ('' for none), the right one
-- Returns: 'ok', now | 'unchanged', now
-- Cost:    O(1)
-- Needs:   lib_queues
if (call('HGET', counts, ARGV[1]) or '') ~= ARGV[2] then return {'unchanged', now} end
free_first()
call('HSET', counts, ARGV[1], ARGV[3])
return {'ok', now}
