-- finish, the unusual ends.

-- Ends of which nothing is kept: but for a minute when somebody waits for them, and the id for
-- unique_for.
local function end_without_trace(ids, values, heard)
  local gone = {}
  for i = 1, #ids do
    local id, value = ids[i], values[i]
    if heard[id] then
      call('HSET', tasks, id, value)
      call('ZADD', buried, now + 60000, id)
    elseif unique_for(value) > 0 then
      keep_stub(id, value, now + unique_for(value))
    else
      gone[#gone + 1] = id
    end
  end
  many('HDEL', tasks, gone, 1, #gone)
end

-- Ends that are not successes: dead and expired tasks, each with a time of its own.
local function bury_run(run, ids)
  for i = 1, #ids do call('ZADD', buried, now + run.time, ids[i]) end
end

-- What is left of a run when some of its reports were lost.
local function held_only(claim, ids, records, holders)
  local kept, theirs = {}, {}
  for i = 1, #ids do
    if holders[i] == claim then kept[#kept + 1], theirs[#theirs + 1] = ids[i], records[i] end
  end
  return kept, theirs
end
