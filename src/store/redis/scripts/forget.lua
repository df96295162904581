-- forget: these submissions from the outbox of a database do not come again.
-- Keys:    arrived
-- Args:    id and life of each, in one text
-- Returns: 'ok'
-- Cost:    O(submissions)
for at = 1, #ARGV, 4000 do
  redis.call('HDEL', KEYS[1], unpack(ARGV, at, math.min(at + 3999, #ARGV)))
end
return {'ok'}
