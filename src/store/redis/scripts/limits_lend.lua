-- limits_lend: changes how a limit is shared out among shards, if it is as it was seen.
-- Keys:    the shard's
-- Args:    limit (8 bytes), the first eight bytes of the record that was seen ('': there is none), record, the server on which it was
--          seen
-- Returns: 'ok', now, 1 (done) or 0 (stale: nothing was written)
-- Cost:    O(1)
-- The record's first eight bytes tell it from any other: a repeat finds its own and changes nothing. After a fail-over what was seen
-- of shards since may rest on a change of the record that is lost.
-- Needs:   lib_there lib_gates
local lent, limit, seen, record = prefix .. 'lent', ARGV[1], ARGV[2], ARGV[3]
local stamp = sub(call('HGET', lent, limit) or '', 1, 8)
if stamp ~= seen or ARGV[4] ~= rules.server() then return {'ok', now, stamp == sub(record, 1, 8) and 1 or 0} end
free_first()
call('HSET', lent, limit, record)
return {'ok', now, 1}
