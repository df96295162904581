-- clean, first half: what is to be deleted, and whether the keys of its queues were given.
-- Needs: lib_record lib_entry

-- Ended tasks outside of the history lists whose time is over: id -> what `tasks` holds.
local function read_buried(limit, missing)
  local ids, asked = call('ZRANGE', buried, '-inf', now, 'BYSCORE', 'LIMIT', 0, limit), {}
  local values = hmget(tasks, ids)
  for i = 1, #ids do
    local q, queue
    if values[i] and is_ended(values[i]) then q, queue = queue_of(body_of(values[i])) end
    if queue and not q and not asked[queue] then
      asked[queue], missing[#missing + 1] = true, queue
    end
  end
  return ids, values
end
