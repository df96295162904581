-- stamp: whether the shard is kept as the caller knows it; asked for each connection that is made.
-- Keys:    control
-- Args:    format, number of shards, the oldest format that the caller knows
-- Returns: 'ok', also where no shard was made yet | the error STAMP, with format and number of shards
-- Cost:    O(1)
local made = redis.call('HMGET', KEYS[1], 'format', 'shards')
local format, newest, oldest = tonumber(made[1]), tonumber(ARGV[1]), tonumber(ARGV[3])
if not made[1] or (format and format <= newest and format >= oldest and made[2] == ARGV[2]) then return 'ok' end
return redis.error_reply('STAMP ' .. made[1] .. ' ' .. (made[2] or ''))
