-- submit, items that may come again: from the outbox of a database.
--
-- arrived: id .. life -> when it came (ms). It stays until forget, whatever becomes of the task.
-- Needs: lib_many
local arrived = KEYS[#KEYS]

local function arrival(run, i)
  local step = run.rule and 3 or 2
  return run.ids[i] .. sub(ARGV[run.from + step * (i - 1) + 1], 4, 11)
end

-- Of each item of the run when it came before, false when it did not.
local function arrivals_of(run)
  local members = {}
  for i = 1, #run.ids do members[i] = arrival(run, i) end
  return hmget(arrived, members)
end

-- What was answered now is what a repeat is about.
local undecided = {busy = true, tangled = true, cycle = true, gone = true, recalled = true}
local function remember(run)
  local pairs_of, n = {}, 0
  for i = 1, #run.ids do
    if not undecided[run.words and run.words[i] or ''] then
      pairs_of[n + 1], pairs_of[n + 2] = arrival(run, i), now
      n = n + 2
    end
  end
  many('HSET', arrived, pairs_of, 1, n)
end
