-- Tasks that stand aside for workers that know their handler: another has claimed them that does not. Those that wait for a
-- time meanwhile (a retry) are marked, and stand aside again when it has come.
-- Needs: lib_tell lib_entry lib_earliest
-- Gives: stand_aside

-- Tells workers that know the handler, as many as there are tasks: idle ones. If there are none of these, and nobody was
-- told before, some of the others: whoever is told remembers it until nothing stands aside.
local function tell_aside(q, handler, most, first)
  local name = hints.name_of(handler)
  local told = hints.idle(idle_of(q), name, most)
  if told > 0 or not first then return end
  for _, worker in ipairs(call('ZRANDMEMBER', workers, 500)) do
    if told == 8 then return end
    if hints.one(worker, name) then told = told + 1 end
  end
end

-- Their notes are written with them, when they are given.
function stand_aside(q, ids, records)
  local fronts = {}
  for i = 1, #ids do
    local id = ids[i]
    local body = call('HGET', tasks, id)
    if body then
      local front, handler = aside_front(body)
      local known = fronts[front]
      if not known then
        local before = call('ZRANGE', links, '[' .. front, '[' .. front .. '\255', 'BYLEX', 'LIMIT', 0, 1)
        known = {handler = handler, first = #before == 0, count = 0}
        fronts[front] = known
      end
      known.count = known.count + 1
      if records then call('HSET', notes, id, records[i]) end
      call('ZADD', due_of(q), digits(aside_band + now), entry_of(id, body, true))
      call('ZADD', links, 0, aside_member(id, body))
    end
  end
  for _, one in pairs(fronts) do tell_aside(q, one.handler, math.min(one.count, chain), one.first) end
end
