-- open: makes the shard when it is not there, else says what it was made with. Writes nothing when it is
-- there. Who has a connection is told that what was there before is gone.
-- Keys:    the shard's
-- Args:    format, number of shards, name of who asks
-- Returns: 'ok', now, format, number of shards, version of what is set of handlers ('': nothing was ever)
-- Cost:    O(1)
-- Needs:   lib_make
local made = call('HMGET', control, 'format', 'shards', 'settings')
if made[1] then return {'ok', now, made[1], made[2] or '', made[3] or ''} end
make_shard(ARGV[1], ARGV[2])
call('PUBLISH', prefix .. 'all', 'm' .. ARGV[3])
return {'ok', now, ARGV[1], ARGV[2], ''}
