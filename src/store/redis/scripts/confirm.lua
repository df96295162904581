-- confirm: the submission of a task with many parents, or far into a graph, is complete.
-- Keys:    the shard's
-- Args:    id, life (8 bytes), 1 when no cycle goes through it
-- Returns: 'ok', now | 'walk', now (others depend on it: look for a cycle first) | 'lost', now |
--          'withdrawn', now (it is being taken back)
-- Cost:    O(log edges)
-- Needs:   lib_queues lib_links lib_news
local id, record = ARGV[1], call('HGET', waiting, ARGV[1])
if not record then
  -- A repeat may find that it waits no longer.
  local value = call('HGET', tasks, id)
  return {value and life_of(value) == ARGV[2] and 'ok' or 'lost', now}
end
if sub(record, 17, 24) ~= ARGV[2] then return {'lost', now} end
if sub(record, 1, 1) == 'g' then return {'withdrawn', now} end
if sub(record, 1, 1) ~= 'r' then return {'ok', now} end
if ARGV[3] ~= '1' and any_link('c', id) then return {'walk', now} end
free_first()
call('HSET', waiting, id, 'w' .. sub(record, 2))
call('ZREM', outbox, id .. 'w')
if any_link('f', id) or not any_link('n', id) then announce({id .. 'k'}) end
return {'ok', now}
