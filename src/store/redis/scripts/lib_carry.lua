-- How claimed tasks reach their worker.

-- (position, notes) pairs. `noted` are the positions of ids that may have notes; nil: all of them.
local function notes_of(ids, noted)
  local found, asked = {}, {}
  if not noted then
    noted = {}
    for i = 1, #ids do noted[i] = i end
  end
  for i = 1, #noted do asked[i] = ids[noted[i]] end
  local values = hmget(notes, asked)
  for i = 1, #asked do
    if values[i] then found[#found + 1], found[#found + 2] = noted[i], values[i] end
  end
  return found
end

-- The part of a reply that carries claimed tasks.
local function carry(ids, lengths, bodies)
  return table.concat(ids), table.concat(lengths, ' '), table.concat(bodies), notes_of(ids)
end
