-- withdraw: takes back a submission that is not complete, in steps.
-- Keys:    the shard's
-- Args:    id, life (8 bytes, '' for any), how many edges at most
-- Returns: 'ok', now | 'more', now (call again)
-- Cost:    O(edges x log edges)
local id, record = ARGV[1], call('HGET', waiting, ARGV[1])
free_first()
if record and sub(record, 1, 1) == 'r' and (ARGV[2] == '' or sub(record, 17, 24) == ARGV[2]) then
  if not forget_parents(id, tonumber(ARGV[3])) then return {'more', now} end
  call('HDEL', waiting, id)
  call('HDEL', tasks, id)
  call('ZREM', outbox, id .. 'w')
end
return {'ok', now}
