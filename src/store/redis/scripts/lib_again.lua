-- What a repeat of a claiming call is given: the tasks that are still under that claim.
local function taken_before(number)
  local line = number ~= '0' and call('HGET', claims, number)
  local ids, bodies, lengths = {}, {}, {}
  if line then
    local from = string.find(line, '\n', 1, true) + 1
    for at = from, #line, 16 do
      local id = sub(line, at, at + 15)
      local body = call('HGET', own, id) == number and call('HGET', tasks, id)
      if body then
        local n = #ids + 1
        ids[n], bodies[n], lengths[n] = id, body, #body
      end
    end
  end
  return carry(ids, lengths, bodies)
end
