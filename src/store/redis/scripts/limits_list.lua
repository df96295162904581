-- limits_list: limits, and what happens at them.
-- Keys:    the shard's
-- Args:    limits (8 bytes each); without any: all of which anything is known
-- Returns: 'ok', now, then of each: name, the rule that is declared and the one that is set (as limits_set takes them; ''),
--          how many run, how many wait at it, when a rate lets the next one through (ms; ''), the version of the share
--          that was set here (''), how many have waited for other tasks and wait in line to go on, for how long all in all
--          somebody waited because of it (ms), 1 when another server has heard of the share, and this one lets nothing through,
--          this server
-- Cost:    O(limits + 200 groups that wait at each)
-- Needs:   lib_groups
mends = false
local wanted, reply = ARGV, {'ok', now}
if #ARGV == 0 then
  local fields = call('HGETALL', limits)
  wanted = {}
  for i = 1, #fields, 2 do
    if byte(fields[i]) == 110 then wanted[#wanted + 1] = sub(fields[i], 2) end
  end
end

local function waiting_at(limit)
  local tasks_there, opening = 0, false
  for _, kind in ipairs({'b', 'm', 's'}) do
    -- Of all keys together, also when nobody waits.
    local till = kind ~= 'm' and closed_until(kind .. limit .. no_key)
    if till and till < math.huge then opening = math.min(math.ceil(till / 1000), opening or math.huge) end
    local from = 'p' .. kind .. limit
    local found = call('ZRANGE', held, '[' .. from, '[' .. from .. string.rep('\255', 9), 'BYLEX', 'LIMIT', 0, 200)
    for i = 1, #found do
      tasks_there = tasks_there + inside.count(sub(found[i], -16))
      local at = kind ~= 'm' and tonumber(call('ZSCORE', opens, sub(found[i], 2, 1 + gate_width)) or math.huge)
      if at and at < (opening or math.huge) then opening = at end
    end
  end
  return tasks_there, opening and digits(opening) or ''
end

for _, limit in ipairs(wanted) do
  local n, known = #reply, call('HMGET', limits, 'n' .. limit, 'd' .. limit, 's' .. limit, 'f' .. limit, 'w' .. limit, 'z' .. limit, 'o' .. limit)
  reply[n + 1], reply[n + 2], reply[n + 3] = known[1] or '', known[2] or '', known[3] or ''
  local starts = 0
  for _, field in ipairs({'cb' .. limit .. no_key, 'cm' .. limit .. no_key, 'ab' .. limit, 'am' .. limit}) do
    starts = starts + tonumber(call('HGET', gates, field) or 0)
  end
  -- Who goes on and waits in line has its slots, and does not run.
  local in_line = returns.waiting('b' .. limit) + returns.waiting('m' .. limit)
  reply[n + 4] = starts - in_line
  reply[n + 5], reply[n + 6] = waiting_at(limit)
  reply[n + 7], reply[n + 8] = known[4] or '', in_line
  reply[n + 9] = digits((known[6] or 0) + math.max(0, now - (known[5] or now)))
  reply[n + 10], reply[n + 11] = rules.is_old(known[7]) and 1 or 0, rules.server()
end
return reply
