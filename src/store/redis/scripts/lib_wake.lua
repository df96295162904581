-- Wakes up to `most` of the workers that wait for queue q, each exactly once, and names the queue to them: in others they wait on.
--
-- It stands in the set under its name and, when it takes tasks that are handed to it (submit_new.lua), a line break,
-- its lease (ms) and its process's mark (lib_take.lua). A worker that is gone has no receiver on its channel: then the next one is taken, so it cannot swallow
-- a wake-up.
--
-- So many names one call takes off at most: those of the dead are swept (sweep.lua), and what nobody was woken for is found
-- by whoever looks next. Returns how many have heard.
-- Needs: lib_queues
local names_left = 100
local function wake_in(idle, most)
  for heard = 1, most do
    repeat
      local worker = names_left > 0 and call('SPOP', idle)
      if not worker then return heard - 1 end
      names_left = names_left - 1
    until call('PUBLISH', prefix .. 'wake:' .. string.match(worker, '^[^\n]+'), 'w' .. sub(idle, #prefix + 6)) > 0
  end
  return most
end

local function wake(q, most) wake_in(idle_of(q), most) end

-- The most that one call wakes: a full claim that leaves a backlog wakes the next one.
local chain = 8
