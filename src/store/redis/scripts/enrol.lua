-- enrol: names more parents of a task whose submission is not complete.
-- Keys:    the shard's
-- Args:    id, life (8 bytes), parents as submit takes them
-- Returns: 'ok', now, a parent that is no longer kept or '' | 'lost', now (it is registered no longer)
-- Cost:    O(parents x log edges)
-- Needs:   lib_depend
local id, record = ARGV[1], call('HGET', waiting, ARGV[1])
if not record or sub(record, 1, 1) ~= 'r' or sub(record, 17, 24) ~= ARGV[2] then return {'lost', now} end
local weight = weigh(sub(record, 2, 2), ARGV[3], {})
if weight.gone then return {'ok', now, weight.gone} end
tie(id, weight)
call('ZADD', outbox, now + patience, id .. 'w')
return {'ok', now, ''}
