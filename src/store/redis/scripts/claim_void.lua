-- claim, when entries of the ready lists may be void.
-- Needs: lib_many lib_names

-- Leaves only entries that were not voided since they came into the list.
local function without_void(q, entries)
  local fields, kept, void, over, queue = {}, {}, {}, {}, name_of(q)
  for i = 1, #entries do fields[i] = queue .. '\n' .. sub(entries[i], 1, 16) end
  local numbers = hmget(stale, fields)
  for i = 1, #entries do
    -- An id may stand twice in one round: void of its earlier life, valid of this one.
    local field = fields[i]
    void[field] = void[field] or tonumber(numbers[i] or 0)
    if void[field] == 0 then
      kept[#kept + 1] = entries[i]
    else
      void[field] = void[field] - 1
      if void[field] == 0 then over[#over + 1] = field else call('HINCRBY', stale, field, -1) end
    end
  end
  many('HDEL', stale, over, 1, #over)
  if #kept < #entries then call('HINCRBY', counts, 'v:' .. queue, #kept - #entries) end
  return kept
end

-- With voids a round may yield less than it popped. `room` bounds what one call looks at, rounds and entries;
-- what is left then is told by `look again now`. Returns also what is left of it.
local function pop_valid(q, limit, room)
  local got = {}
  while #got < limit and room > 0 do
    local entries = call('RPOP', ready_of(q), limit - #got)
    if not entries then break end
    room = room - #entries - 4
    entries = without_void(q, entries)
    for i = 1, #entries do got[#got + 1] = entries[i] end
  end
  return got, room
end
