-- limits_list: all limits of which anything is known.
-- Keys:    the shard's
-- Returns: 'ok', now, then of each: name, the rule that is declared and the one that is set (as limits_set takes them; ''),
--          how many run, how many wait at it, when a rate lets the next one through (ms; '')
-- Cost:    O(limits + 200 groups that wait at each)
-- Needs:   lib_groups
mends = false
local all, reply = call('HGETALL', limits), {'ok', now}

local function waiting_at(limit)
  local tasks_there, opening = 0, false
  for _, kind in ipairs({'b', 'm', 's'}) do
    -- Of all keys together, also when nobody waits.
    local till = kind ~= 'm' and closed_until(kind .. limit .. no_key)
    if till and till < math.huge then opening = math.min(math.ceil(till / 1000), opening or math.huge) end
    local from = 'p' .. kind .. limit
    local found = call('ZRANGE', held, '[' .. from, '[' .. from .. string.rep('\255', 9), 'BYLEX', 'LIMIT', 0, 200)
    for i = 1, #found do
      local front = 'h' .. sub(found[i], -16)
      tasks_there = tasks_there + call('ZLEXCOUNT', held, '[' .. front, '[' .. front .. '\255')
      local at = kind ~= 'm' and tonumber(call('ZSCORE', opens, sub(found[i], 2, 1 + gate_width)) or math.huge)
      if at and at < (opening or math.huge) then opening = at end
    end
  end
  return tasks_there, opening and digits(opening) or ''
end

for i = 1, #all, 2 do
  if byte(all[i]) == 110 then
    local limit, n = sub(all[i], 2), #reply
    reply[n + 1] = all[i + 1]
    reply[n + 2], reply[n + 3] = call('HGET', limits, 'd' .. limit) or '', call('HGET', limits, 's' .. limit) or ''
    reply[n + 4] = 0
    for _, field in ipairs({'cb' .. limit .. no_key, 'cm' .. limit .. no_key, 'ab' .. limit, 'am' .. limit}) do
      reply[n + 4] = reply[n + 4] + tonumber(call('HGET', gates, field) or 0)
    end
    -- Who goes on and waits in line has its slots, and does not run.
    for _, kind in ipairs({'b', 'm'}) do reply[n + 4] = reply[n + 4] - returns.waiting(kind .. limit) end
    reply[n + 5], reply[n + 6] = waiting_at(limit)
  end
end
return reply
