-- How claimed tasks reach their worker.
-- Needs: lib_many lib_most

-- The notes that go with them, as (position, notes) pairs; `noted` are the positions of ids that may have some. Returns also
-- what they leave of a reply for bodies, and how many of the ids it carries: notes have half of it, and one task all.
local function notes_within(ids, noted)
  local found, left = {}, most_bytes
  for from = 1, #noted, 16 do
    local asked = {}
    for i = from, math.min(from + 15, #noted) do asked[#asked + 1] = ids[noted[i]] end
    local values = hmget(notes, asked)
    for i = 1, #asked do
      local position, text = noted[from + i - 1], values[i]
      if text then
        if left - #text < most_bytes / 2 and position > 1 then return found, left, position - 1 end
        left = left - #text
        found[#found + 1], found[#found + 2] = position, text
      end
    end
  end
  return found, left, #ids
end
