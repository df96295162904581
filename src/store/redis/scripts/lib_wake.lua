-- Wakes up to `most` of the workers that wait for queue q, each exactly once.
--
-- It stands in the set under its name and, when it takes tasks that are handed to it (submit_new.lua), a line break and
-- its lease (ms). A worker that is gone has no receiver on its channel: then the next one is taken, so it cannot swallow
-- a wake-up.
local function wake(q, most)
  local idle = idle_of(q)
  for _ = 1, most do
    repeat
      local worker = call('SPOP', idle)
      if not worker then return end
    until call('PUBLISH', prefix .. 'wake:' .. string.match(worker, '^[^\n]+'), 'w') > 0
  end
end

-- The most that one call wakes: a full claim that leaves a backlog wakes the next one.
local chain = 8
