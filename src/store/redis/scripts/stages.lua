-- stages: what is kept of the stages of a task, for the claim that holds it.
-- Keys:    the shard's
-- Args:    id, claim
-- Returns: 'ok', now, life and records ('' for none) | 'lost', now
-- Cost:    O(what the task has stored)
-- Needs:   lib_base
if call('HGET', own, ARGV[1]) ~= ARGV[2] then return {'lost', now} end
return {'ok', now, call('HGET', stages, ARGV[1]) or ''}
