-- yield: attempts that wait for other tasks let these through their gates, and come back.
-- Keys:    the shard's
-- Args:    lane, number, then of each: '0' when it waits, '1' when it goes on, id, claim
-- Returns: 'ok', now, a letter for each: 'd' when that is done, 'w' when it waits in line, 'l' when it is no longer this claim's
--          | 'late'
-- Cost:    O(tasks x gates x log of those in line)
-- Needs:   lib_queues lib_lane lib_groups

local function go_on(id, claim)
  local body, field = call('HGET', tasks, id), id .. claim
  local value = call('HGET', slots, field)
  local waited = value and returns.in_line(value)
  if not body or not is_gated(body) or value and not waited then return 'd' end
  local text = gates_of(body)
  if waited then text = sub(value, 1, -1 - returns.order_width) end
  local runs = returns.may_run(text)
  if not waited then
    for _, known in ipairs(gates_in(text)) do add_running(known, 1) end
    write_counts()
  end
  if runs then
    if waited then returns.leave_line(field, value) end
    call('HSET', slots, field, text)
  elseif not waited then
    returns.wait_in_line(field, text, new_ticket())
  end
  return runs and 'd' or 'w'
end

local function yield()
  free_first()
  local said = {}
  for at = 3, #ARGV, 3 do
    local id, claim = ARGV[at + 1], ARGV[at + 2]
    if call('HGET', own, id) ~= claim then
      said[#said + 1] = 'l'
    elseif ARGV[at] == '1' then
      said[#said + 1] = go_on(id, claim)
    else
      free_slot(id, claim)
      said[#said + 1] = 'd'
    end
  end
  local text = table.concat(said)
  return {'ok', now, text}, {text}
end

return once(ARGV[1], tonumber(ARGV[2]), yield, function(before) return {'ok', now, before[1]} end)
