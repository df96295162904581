-- clean, deleting.
-- Needs: lib_queues lib_untie lib_remnant lib_unwatch

-- `spent`: tasks looked at, for every four edges one more, and half a one for a trace: what counts towards the limit of a call.
-- `done`: tasks deleted, and steps made towards that; with none there is nothing that another call would do.
-- `latest`: an end not before that of any that was deleted (ms).
-- `passed`: tasks were passed that stay, and the next call begins behind them.
local done, spent, popped, passed, latest = 0, 0, false, false, 0
local any_watched = call('HLEN', watched) > 1

-- A carrier (lib_bundles.lua) whose items have yet to hear what its outcome says of each.
local function is_untold(id, value)
  return math.floor(byte(id, 7) / 16) == 5 and call('ZSCORE', outbox, id .. state_letter(value))
end

-- False when it takes another call. `q`: of a task that stands in `listed`.
local function drop(id, value, q)
  local untied, edges = untie(id)
  spent, done = spent + math.floor(edges / 4), done + 1
  if not untied then return false end
  latest = math.max(latest, finished_at(value))
  call('HDEL', waiting, id)
  call('HDEL', notes, id)
  if any_watched then forget_watchers(id) end
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

-- Leaves out what an entry of a history list no longer stands for: an end after the entry was written is of another life, and
-- what stands in `buried` has left the list (as a remnant, or since somebody awaits it).
-- What is gone already costs little, so that one call gets further than the last.
local function drop_all(entry, limit, drop_one)
  local finished = number_at(entry, #entry - 5, 6)
  for at = 1, #entry - 6, 16 do
    if spent >= limit then return false end
    local id = sub(entry, at, at + 15)
    local value = call('HGET', tasks, id)
    local over = value and is_ended(value) and finished_at(value) <= finished and not call('ZSCORE', buried, id)
    spent = spent + (over and 1 or 1 / 64)
    if over and not drop_one(id, value) then return false end
  end
  return true
end

-- Takes the oldest entry off a history list, whose tasks are deleted.
local function pop_entry(key, entry)
  local list = sub(key, #prefix + 9)
  call('LPOP', key)
  call('HINCRBY', counts, '-:' .. list, (#entry - 6) / 16)
  call('HINCRBY', counts, 'p:' .. list, 1)
  popped = true
end

-- How many tasks were deleted or came nearer to it; one, when all that a call may look at was gone already or stays.
local function progress(limit) return done == 0 and (popped or passed) and spent >= limit and 1 or done end
