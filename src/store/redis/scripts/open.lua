-- open: makes the shard when it is not there, else says what it was made with. Writes nothing when it is
-- there.
-- Keys:    the shard's
-- Args:    format, number of shards
-- Returns: 'ok', now, format, number of shards
-- Cost:    O(1)
local made = call('HMGET', control, 'format', 'shards')
if made[1] then return {'ok', now, made[1], made[2] or ''} end
-- A member of more than 64 bytes keeps a collection out of the compact encoding, which is searched from
-- end to end.
local sentinel = string.rep('~', 65)
for _, key in ipairs({tasks, notes, ended, own, claims, lanes, watched, stale, control}) do
  call('HSET', key, sentinel, '')
end
call('ZADD', leases, '+inf', sentinel)
call('HSET', control, 'format', ARGV[1], 'shards', ARGV[2])
return {'ok', now, ARGV[1], ARGV[2]}
