-- Where a task stands that is free to start: in its queue's ready list, among the urgent, or in its group.
-- Needs: lib_groups

-- `text` is its entry; its end, or before all others of its priority.
local function make_ready(q, text, front)
  local mark = #text > 16 and byte(text, 17) or 48
  if mark >= 176 then
    local id = sub(text, 1, 16)
    local body = call('HGET', tasks, id)
    if body then hold(q, id, body, front) end
  elseif mark % 64 > 48 then
    place_urgent(q, text, mark % 64 - 48, front)
  else
    call(front and 'RPUSH' or 'LPUSH', ready_of(q), text)
  end
end

local function any_ready(q)
  return call('LLEN', ready_of(q)) > 0 or call('ZCARD', urgent_of(q)) > 0 or any_turn(name_of(q))
end
