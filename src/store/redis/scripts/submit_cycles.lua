-- submit, cycles among the tasks of one call: id -> the ids on its cycle, in one text.
--
-- Depth first: `way` leads from a task to what it waits for, `place` is where on it a task stands.
local function cycles_in(batch, order)
  local place, done, found = {}, {}, {}
  for _, start in ipairs(order) do
    local way, nexts = {}, {}
    if not done[start] then way[1], nexts[1], place[start] = start, 1, 1 end
    while #way > 0 do
      local top = #way
      local id = way[top]
      local parent = batch[id][nexts[top]]
      nexts[top] = nexts[top] + 1
      if not parent then
        place[id], done[id], way[top] = nil, true, nil
      elseif place[parent] then
        local ids = table.concat(way, '', place[parent])
        for at = place[parent], top do found[way[at]] = ids end
      elseif batch[parent] and not done[parent] then
        way[top + 1], nexts[top + 1], place[parent] = parent, 1, top + 1
      end
    end
  end
  return found
end
