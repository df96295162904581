-- clean, deleting.

-- `spent`: tasks looked at, and for every four edges one more: what counts towards the limit of a call.
local deleted, spent = 0, 0

-- False when it takes another call. `q`: of a task that stands in `listed`.
local function drop(id, value, q)
  local untied, edges = untie(id)
  spent = spent + math.floor(edges / 4)
  if not untied then return false end
  call('HDEL', waiting, id)
  deleted = deleted + 1
  call('HDEL', notes, id)
  if q then call('ZREM', listed_of(q), id) end
  -- The id goes on refusing duplicates for as long as was promised, without its arguments and result.
  local unique_until = finished_at(value) + unique_for(value)
  if unique_until > now then
    keep_remnant(id, value, unique_until)
  else
    call('HDEL', tasks, id)
    drop_stages(id)
  end
  return true
end

-- An entry may be of an earlier life of an id: an end after the entry was written is another one's.
local function drop_all(entry, finished, limit)
  for at = 1, #entry - 6, 16 do
    if spent >= limit then return false end
    spent = spent + 1
    local id = sub(entry, at, at + 15)
    local value = call('HGET', tasks, id)
    local over = value and is_ended(value) and finished_at(value) <= finished
    if over and not drop(id, value) then return false end
  end
  return true
end

local function clean_history(key, retention, limit)
  local list, left, popped = sub(key, #prefix + 9), 0, 0
  while spent < limit do
    local entry = call('LINDEX', key, 0)
    local finished = entry and number_at(entry, #entry - 5, 6)
    if not entry or finished + retention > now or not drop_all(entry, finished, limit) then break end
    call('LPOP', key)
    left, popped = left + (#entry - 6) / 16, popped + 1
  end
  if popped > 0 then
    call('HINCRBY', counts, '-:' .. list, left)
    call('HINCRBY', counts, 'p:' .. list, popped)
  end
  if call('EXISTS', key) == 0 then call('SREM', histories, list) end
end
