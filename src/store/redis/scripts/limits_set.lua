-- limits_set: the rules of limits, and what they let go on.
-- Keys:    the shard's
-- Args:    'declare', 'set' or 'clear', then of each: limit (8 bytes), name, rule: how many run, starts, in (ms), at once,
--          spacing and tolerance of starts (us), '-' for what is not limited
-- Returns: 'ok', now
-- Cost:    O(gates of these at which somebody waits); 200 of each at most are let go at once, the others by these
-- Needs:   lib_there lib_groups
free_first()

-- The first of those that wait at each gate of the limit: of the others each is let go by the one before.
local function let_go_on(limit)
  for _, kind in ipairs({'b', 'm', 's'}) do
    local from, to = '[p' .. kind .. limit, '[p' .. kind .. limit .. string.rep('\255', 9)
    for _ = 1, 200 do
      local first = call('ZRANGE', held, from, to, 'BYLEX', 'LIMIT', 0, 1)[1]
      if not first then break end
      local gate = sub(first, 2, 1 + gate_width)
      let_go(gate)
      from = '(p' .. gate .. '\255'
    end
  end
end

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
  if call('HGET', limits, 'r' .. limit) ~= before then let_go_on(limit) end
end
return {'ok', now}
