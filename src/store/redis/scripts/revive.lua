-- revive: a task that ended otherwise than by success starts again, its attempts from zero.
-- Keys:    the shard's; six for each queue that it may be in
-- Args:    id, life (8 bytes), its end as find told it (13 digits), its notes, '1' when it stands aside (lib_aside.lua), else '0',
--          its body where that is to be another ('' as it was)
-- Returns: 'ok', now | 'unchanged', now (it has not ended so) | 'elsewhere', queue
-- Cost:    O(log ended)
-- Needs:   lib_wake lib_entry lib_ready lib_aside lib_links lib_news
local id, value = ARGV[1], call('HGET', tasks, ARGV[1])
if not value or not is_ended(value) or life_of(value) ~= ARGV[2] or sub(value, 2, 14) ~= ARGV[3]
  or state_letter(value) == 's' then return {'unchanged', now} end
-- A group is not run: it comes back with its members.
if sub(call('HGET', waiting, id) or '', 2, 2) == 'g' then return {'unchanged', now} end
local body = ARGV[6] ~= '' and ARGV[6] or body_of(value)
local q, queue = queue_of(body)
if not q then return {'elsewhere', queue} end

free_first()
call('ZREM', buried, id)
call('ZREM', listed_of(q), id)
call('HSET', tasks, id, body)
-- Who revives it by name wants it to run, whatever became of its parents.
call('HDEL', waiting, id)
if ARGV[5] == '1' then
  stand_aside(q, {id}, {ARGV[4]})
else
  call('HSET', notes, id, ARGV[4])
  make_ready(q, entry_of(id, body, true))
  wake(q, 1)
end
if any_link('c', id) then
  mark_awaited({id})
  announce({id .. 'v'})
end
return {'ok', now}
