-- What a repeat of a claiming call is given: the tasks that are still under that claim, as many as the call carried.
-- Needs: lib_base
local function taken_before(number)
  local line = number ~= '0' and call('HGET', claims, number)
  local ids, bodies, lengths, remarks = {}, {}, {}, {}
  if line then
    local from = string.find(line, '\n', 1, true) + 1
    for at = from, #line, 16 do
      local id = sub(line, at, at + 15)
      local body = call('HGET', own, id) == number and call('HGET', tasks, id)
      if body then
        local n, text = #ids + 1, call('HGET', notes, id)
        ids[n], bodies[n], lengths[n] = id, body, #body
        if text then remarks[#remarks + 1], remarks[#remarks + 2] = n, text end
      end
    end
  end
  return table.concat(ids), table.concat(lengths, ' '), table.concat(bodies), remarks
end
