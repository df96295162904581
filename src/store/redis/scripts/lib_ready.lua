-- Where a task stands that is free to start: in its queue's ready list, among the urgent, or in its group.
-- Needs: lib_groups lib_ahead

-- `text` is its entry; at the end, or before all others of its priority. True when a worker may start it.
local function make_ready(q, text, front)
  local mark = #text > 16 and byte(text, 17) or 48
  if mark >= 176 then
    local id = sub(text, 1, 16)
    local body = call('HGET', tasks, id)
    return body and hold(q, id, body, front)
  elseif mark % 64 > 48 and mark % 64 < 48 + early.mark then
    early.place_urgent(q, text, mark % 64 - 48, front)
  elseif mark % 64 > 48 and not front then
    early.place(q, {text})
  else
    call(front and 'RPUSH' or 'LPUSH', ready_of(q), text)
  end
  return true
end
