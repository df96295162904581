-- limits_waiting: who waits at a limit, by the gate at which they do.
-- Keys:    the shard's
-- Args:    limit (8 bytes), how many gates at most
-- Returns: 'ok', now, then of each gate, those with most tasks first: its key (8 bytes), how many tasks wait, the id of the one
--          that goes first
-- Cost:    O(200 groups that wait at each kind of gate)
-- Needs:   lib_groups
local limit, by_key, all = ARGV[1], {}, {}

for _, kind in ipairs({'b', 'm', 's'}) do
  local from = 'p' .. kind .. limit
  local found = call('ZRANGE', held, '[' .. from, '[' .. from .. string.rep('\255', 9), 'BYLEX', 'LIMIT', 0, 200)
  for i = 1, #found do
    local group, key = sub(found[i], -16), sub(found[i], 11, 1 + gate_width)
    local head = inside.head_of(group)
    if head then
      local gate = by_key[key]
      if not gate then
        gate = {key = key, tasks = 0, order = ':'}
        by_key[key], all[#all + 1] = gate, gate
      end
      gate.tasks = gate.tasks + inside.count(group)
      -- Priority and order, both digits.
      local order = sub(head, 18, 31)
      if order < gate.order then gate.order, gate.first = order, sub(head, -16) end
    end
  end
end
table.sort(all, function(a, b) return a.tasks > b.tasks end)

local reply = {'ok', now}
for i = 1, math.min(#all, tonumber(ARGV[2])) do
  local n = #reply
  reply[n + 1], reply[n + 2], reply[n + 3] = all[i].key, digits(all[i].tasks), all[i].first
end
return reply
