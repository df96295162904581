-- cancel: ends a task that has not ended; its worker, if it has one, is told.
-- Keys:    the shard's; six for each queue that it may be in
-- Args:    id, life (8 bytes, '' for any), outcome (kept as long as the task says, if it says so)
-- Returns: 'cancelled', now | 'ended', now (otherwise than cancelled) | 'unknown', now | 'elsewhere', queue
-- Cost:    O(log waiting)
-- Needs:   lib_entry lib_out lib_body lib_bury lib_torn
local id, life = ARGV[1], ARGV[2]
local body = call('HGET', tasks, id)
if not body or (life ~= '' and life ~= life_of(body)) then return {'unknown', now} end
if is_ended(body) then return {state_letter(body) == 'c' and 'cancelled' or 'ended', now} end

local q, queue = queue_of(body)
if not q then return {'elsewhere', queue} end
local holder = call('HGET', own, id)
free_first()
if holder then
  call('HDEL', own, id)
  tear()
  local line = call('HGET', claims, holder)
  if line then
    call('PUBLISH', prefix .. 'wake:' .. sub(line, 1, string.find(line, '\n', 1, true) - 1), 'c' .. id)
  end
else
  take_out(q, id, body, call('HEXISTS', notes, id) == 1)
end
bury(q, id, body, kept_as(ARGV[3], body))
return {'cancelled', now}
