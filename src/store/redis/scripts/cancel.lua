-- cancel: ends a task that has not ended; its worker, if it has one, is told.
-- Keys:    the shard's; six for each queue that it may be in
-- Args:    id, life (8 bytes, '' for any), outcome (kept as long as the task says, if it says so)
-- Returns: 'cancelled', now | 'ended', now (otherwise than cancelled) | 'unknown', now | 'elsewhere', queue
-- Cost:    O(log waiting)
-- Needs:   lib_entry lib_call_off
local id, life = ARGV[1], ARGV[2]
local body = call('HGET', tasks, id)
if not body or (life ~= '' and life ~= life_of(body)) then return {'unknown', now} end
if is_ended(body) then return {state_letter(body) == 'c' and 'cancelled' or 'ended', now} end

local q, queue = queue_of(body)
if not q then return {'elsewhere', queue} end
free_first()
call_off(q, id, body, ARGV[3])
return {'cancelled', now}
