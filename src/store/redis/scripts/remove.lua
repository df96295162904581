-- remove: deletes a task, with its biz_id, edges and stages, in steps. One that has not ended is cancelled.
-- Keys:    the shard's; six for each queue that it may be in
-- Args:    id, outcome of one that has not ended (it says that nothing is kept)
-- Returns: 'ok', now | 'more', now (call again) | 'working', now | 'unknown', now | 'elsewhere', queue
-- Cost:    O(edges x log edges)
-- Needs:   lib_entry lib_out lib_bury lib_drop
local id, value = ARGV[1], call('HGET', tasks, ARGV[1])
if not value then return {'unknown', now} end
if call('HEXISTS', own, id) == 1 then return {'working', now} end
local body = body_of(value)
local q, queue = queue_of(body)
if not q then return {'elsewhere', queue} end

free_first()
if not is_ended(value) then
  take_out(q, id, body, call('HEXISTS', notes, id) == 1)
  bury(q, id, body, ARGV[2])
  leave_trace(id, life_of(body))
  return {call('HEXISTS', tasks, id) == 1 and 'more' or 'ok', now}
end
return {drop_ended(q, id, value) and 'ok' or 'more', now}
