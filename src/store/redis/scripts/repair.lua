-- repair: puts a task back that is in no list where its state has one, if that is still so.
-- Keys:    the shard's; six for each queue that it may be in
-- Args:    id, 'ready' or 'history'
-- Returns: 'ok', now | 'unchanged', now | 'elsewhere', queue
-- Cost:    O(ready tasks of the queue): it is searched for, so that it never stands there twice
-- Needs:   lib_record lib_wake lib_entry lib_ready lib_torn
local id, value = ARGV[1], call('HGET', tasks, ARGV[1])
if not value then return {'unchanged', now} end
local body = body_of(value)
local q, queue = queue_of(body)
if not q then return {'elsewhere', queue} end
if ARGV[2] == 'history' then
  if not is_ended(value) or call('ZSCORE', buried, id) then return {'unchanged', now} end
  free_first()
  call('ZADD', buried, finished_at(value) + number_at(value, 26, 6), id)
  call('ZADD', listed_of(q), digits(finished_at(value)), id)
  return {'ok', now}
end
local noted = call('HEXISTS', notes, id) == 1
local text = entry_of(id, body, noted)
local elsewhere = is_ended(value) or call('HEXISTS', own, id) == 1 or call('HEXISTS', waiting, id) == 1
  or inside.has(q, id, body)
  or call('ZSCORE', due_of(q), text) or call('LPOS', ready_of(q), text) or call('LPOS', ready_of(q), id)
  or call('LPOS', ready_of(q), entry_of(id, body))
if elsewhere then return {'unchanged', now} end
free_first()
tear()
make_ready(q, text)
wake(q, 1)
return {'ok', now}
