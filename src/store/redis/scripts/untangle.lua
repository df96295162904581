-- untangle: forgets, in steps, what an ended task had waited for, before its id is started anew.
-- Keys:    the shard's
-- Args:    id, how many edges of a kind at most
-- Returns: 'ok', now | 'more', now (call again)
-- Cost:    O(edges x log edges)
-- Needs:   lib_queues lib_forget
local id, value = ARGV[1], call('HGET', tasks, ARGV[1])
if not value or not is_ended(value) then return {'ok', now} end
free_first()
-- From now on no revival of what it waited for takes it up again.
call('HDEL', waiting, id)
return {forget_parents(id, tonumber(ARGV[2])) and 'ok' or 'more', now}
