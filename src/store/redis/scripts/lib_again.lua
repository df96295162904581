-- What a repeat of a claiming call is given: the tasks that are still under that claim, as many as the call carried. Behind a `+`
-- stands how many claims it were, of a task each, from that one on: then also which of these each task has.
-- Needs: lib_base
local function taken_before(number)
  local first, mark, count = string.match(number, '^(%d+)(:%x+)%+(%d+)$')
  local ids, bodies, lengths, remarks, places = {}, {}, {}, {}, first and {}
  for i = 1, tonumber(count or 1) do
    local claim = first and string.format('%d', first + i - 1) .. mark or number
    local line = claim ~= '0' and call('HGET', claims, claim) or '\n'
    local from = string.find(line, '\n', 1, true) + 1
    for at = from, #line, 16 do
      local id = sub(line, at, at + 15)
      local body = call('HGET', own, id) == claim and call('HGET', tasks, id)
      if body then
        local n, text = #ids + 1, call('HGET', notes, id)
        ids[n], bodies[n], lengths[n] = id, body, #body
        if text then remarks[#remarks + 1], remarks[#remarks + 2] = n, text end
        if places then places[n] = i end
      end
    end
  end
  return table.concat(ids), table.concat(lengths, ' '), table.concat(bodies), remarks, places
end
