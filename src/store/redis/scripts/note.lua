-- note: replaces the notes of a task that the caller runs.
-- Keys:    the shard's
-- Args:    id, claim, notes
-- Returns: 'ok', now | 'lost', now
-- Cost:    O(1)
-- Needs:   lib_base
if call('HGET', own, ARGV[1]) ~= ARGV[2] then return {'lost', now} end
call('HSET', notes, ARGV[1], ARGV[3])
return {'ok', now}
