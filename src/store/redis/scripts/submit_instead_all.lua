-- submit_instead, all of it.
-- Needs: lib_there lib_lane submit_step lib_call_off lib_drop
local last = #ARGV - 3
local id, life, outcome = ARGV[last + 1], ARGV[last + 2], ARGV[last + 3]
local refused = {rejected = true, busy = true, tangled = true, cycle = true, gone = true}

local function both()
  local value = call('HGET', tasks, id)
  if value and life_of(value) ~= life then value = false end
  local q, queue
  if value then q, queue = queue_of(body_of(value)) end
  if queue and not q then return {'elsewhere', queue} end
  local reply, memory = submit_step(last)
  if not value or reply[1] ~= 'ok' or refused[reply[4] or ''] then return reply, memory end
  free_first()
  if is_ended(value) then drop_ended(q, id, value) else call_off(q, id, value, outcome) end
  return reply, memory
end

return once(ARGV[1], tonumber(ARGV[2]), both, function(before) return before end)
