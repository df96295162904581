-- limits_set: the rules of limits, and what they let go on.
-- Keys:    the shard's
-- Args:    'declare', 'set' or 'clear', then of each: limit (8 bytes), name, rule: how many run, starts, in (ms), at once,
--          spacing and tolerance of starts (us), '-' for what is not limited
-- Returns: 'ok', now
-- Cost:    O(gates of these at which somebody waits), 200 of each at most: the others are let go by later calls
-- Needs:   lib_there lib_groups
free_first()
local changed = {}

for at = 2, #ARGV, 3 do
  local limit, name, rule = ARGV[at], ARGV[at + 1], ARGV[at + 2]
  local before = call('HGET', limits, 'r' .. limit)
  call('HSET', limits, 'n' .. limit, name)
  if ARGV[1] == 'clear' then
    call('HDEL', limits, 's' .. limit)
  else
    call('HSET', limits, (ARGV[1] == 'set' and 's' or 'd') .. limit, rule)
  end
  local in_force = call('HGET', limits, 's' .. limit) or call('HGET', limits, 'd' .. limit)
  if in_force then
    local most, spacing, tolerance = string.match(in_force, '^(%S+) %S+ %S+ %S+ (%S+) (%S+)$')
    call('HSET', limits, 'r' .. limit, most .. ' ' .. spacing .. ' ' .. tolerance)
  else
    call('HDEL', limits, 'r' .. limit, 'n' .. limit)
  end
  if call('HGET', limits, 'r' .. limit) ~= before then changed[#changed + 1] = limit end
end
-- Who is let go may have gates of several limits: when all rules are there.
for _, limit in ipairs(changed) do
  for _, kind in ipairs({'b', 'm', 's'}) do
    returns.let_all_run(kind .. limit)
    let_go_from('[p' .. kind .. limit, kind .. limit)
  end
end
return {'ok', now}
