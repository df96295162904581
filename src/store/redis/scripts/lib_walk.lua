-- Looks for a way from a task through what it waits for back to itself.
--
-- A way into another shard is gone from outside: there the search is given up.
--
-- `batch`: parents of tasks that this call is about to add. Returns the ids on the way as one text or nil,
-- whether the search was given up after `budget` steps, and what is left of them.
-- Needs: lib_links lib_away
local function find_cycle(id, batch, budget)
  local open, from = {id}, {}
  local function path(last)
    local ids = {last}
    while ids[1] ~= id do table.insert(ids, 1, from[ids[1]]) end
    return table.concat(ids)
  end
  while #open > 0 do
    local at = table.remove(open)
    local parents = batch[at]
    if not parents then
      parents = {}
      -- Failed ones count: a task may wait for their return, and they for what it would bring about.
      if call('HEXISTS', waiting, at) == 1 then
        for _, letter in ipairs({'n', 'f'}) do
          local found = links_of(letter, at, budget + 1)
          for i = 1, #found do parents[#parents + 1] = sub(found[i], 18) end
        end
      end
    end
    budget = budget - 1 - #parents
    if budget < 0 then return nil, true, 0 end
    for i = 1, #parents do
      local parent = parents[i]
      if parent == id then return path(at), false, budget end
      if is_away(parent) then return nil, true, 0 end
      if not from[parent] then
        from[parent] = at
        open[#open + 1] = parent
      end
    end
  end
  return nil, false, budget
end
