-- claim, when entries of the ready lists may be void.

-- Leaves only entries that were not voided since they came into the list.
local function without_void(q, entries)
  local fields, kept, void, queue, voided = {}, {}, {}, name_of(q), 0
  for i = 1, #entries do fields[i] = queue .. '\n' .. sub(entries[i], 1, 16) end
  local numbers = hmget(stale, fields)
  for i = 1, #entries do
    -- An id may stand twice in one round: void of its earlier life, valid of this one.
    local field = fields[i]
    void[field] = void[field] or tonumber(numbers[i] or 0)
    if void[field] == 0 then
      kept[#kept + 1] = entries[i]
    else
      void[field], voided = void[field] - 1, voided + 1
      if call('HINCRBY', stale, field, -1) <= 0 then call('HDEL', stale, field) end
    end
  end
  if voided > 0 then call('HINCRBY', counts, 'v:' .. queue, -voided) end
  return kept
end

-- With voids a round may yield less than it popped. Bounded: what is left then is told by `look again now`.
local function pop_valid(q, limit)
  local got = {}
  for _ = 1, 200 do
    local left = limit - #got
    local entries = left > 0 and call('RPOP', ready_of(q), left)
    if not entries then break end
    entries = without_void(q, entries)
    for i = 1, #entries do got[#got + 1] = entries[i] end
  end
  return got
end
