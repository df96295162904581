-- claim, first half: takes entries out of the queues.

-- Leaves only entries that were not voided since they came into the list.
local function without_void(q, entries)
  local fields, kept, void, queue = {}, {}, {}, name_of(q)
  for i = 1, #entries do fields[i] = queue .. '\n' .. sub(entries[i], 1, 16) end
  local counts = hmget(stale, fields)
  for i = 1, #entries do
    -- An id may stand twice in one round: void of its earlier life, valid of this one.
    local field = fields[i]
    void[field] = void[field] or tonumber(counts[i] or 0)
    if void[field] == 0 then
      kept[#kept + 1] = entries[i]
    else
      void[field] = void[field] - 1
      if call('HINCRBY', stale, field, -1) <= 0 then call('HDEL', stale, field) end
    end
  end
  return kept
end

-- Entries, whether any may be void, and a function that says from which queue an entry came.
local function pop(limit, queues)
  local got, left, last = {}, limit, {}
  local voids = call('HLEN', stale) > 1
  for q = 1, queues do
    local urgent = left > 0 and call('ZPOPMIN', urgent_of(q), left) or {}
    for i = 1, #urgent, 2 do got[#got + 1] = urgent[i] end
    left = limit - #got
    -- With voids a round may yield less than it popped. Bounded: what is left then is told by `look again
    -- now`.
    for _ = 1, voids and 200 or 1 do
      local entries = left > 0 and call('RPOP', ready_of(q), left)
      if not entries then break end
      if voids then entries = without_void(q, entries) end
      for i = 1, #entries do got[#got + 1] = entries[i] end
      left = limit - #got
    end
    last[q] = #got
  end
  local function from_queue(i)
    for q = 1, queues do
      if i <= last[q] then return q end
    end
  end
  return got, voids, from_queue
end
