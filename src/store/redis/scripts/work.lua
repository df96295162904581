-- work: finish and claim fused in one step and one round trip.
-- Keys:    the shard's; five for each queue (those to claim from first); history lists
-- Args:    lane, number, worker, limit, lease, queues to claim from, may be idle (0/1), count of closed
--          claims, them,
--          then the reports as finish takes them
-- Returns: 'ok', now, positions of lost reports, then what claim returns | 'late'
-- Cost:    finish + claim
local function act()
  local limit, closed = tonumber(ARGV[4]), tonumber(ARGV[8])
  -- A claim begins with a write that frees.
  if limit == 0 then free_first() end
  local lost = finish(9 + closed)
  if closed > 0 then
    many('ZREM', leases, ARGV, 9, 8 + closed)
    many('HDEL', claims, ARGV, 9, 8 + closed)
  end
  local number, look, ids, lengths, bodies, found =
    claim(ARGV[3], limit, tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[7] == '1')
  return {'ok', now, lost, number, look, ids, lengths, bodies, found}, {lost, number, look}
end

local function again(before)
  return {'ok', now, before[1], before[2], before[3], seldom().taken_before(before[2])}
end

return once(ARGV[1], tonumber(ARGV[2]), act, again)
