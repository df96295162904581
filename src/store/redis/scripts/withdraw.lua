-- withdraw: takes back a submission that is not complete, in steps.
-- Keys:    the shard's; six for each queue that it may be in
-- Args:    id, life (8 bytes, '' for any), how many edges at most
-- Returns: 'ok', now | 'more', now (call again) | 'elsewhere', queue
-- Cost:    O(edges x log edges)
-- Needs:   lib_entry lib_forget
local id, record = ARGV[1], call('HGET', waiting, ARGV[1])
local registering = record and string.find(record, '^[rg]') and (ARGV[2] == '' or sub(record, 17, 24) == ARGV[2])
if not registering then return {'ok', now} end
local q = position_of(sub(record, 25))
if not q then return {'elsewhere', sub(record, 25)} end
free_first()
if not forget_parents(id, tonumber(ARGV[3])) then
  -- Nobody may complete what has forgotten a part of what it waits for.
  call('HSET', waiting, id, 'g' .. sub(record, 2))
  return {'more', now}
end
call('HDEL', waiting, id)
call('HDEL', tasks, id)
call('ZREM', outbox, id .. 'w')
call('ZREM', listed_of(q), id)
return {'ok', now}
