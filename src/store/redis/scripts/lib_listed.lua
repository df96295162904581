-- `listed:<queue>`: the tasks of a queue in states that no other collection holds in order: ended ones that
-- are in no history list by their end, waiting ones by when they began to wait (ms). Each state has a band
-- of scores.
-- Needs: lib_queues
local listed_band = 2 ^ 46
local bands = {s = 0, d = 1, c = 2, x = 3, w = 4}
local function list_as(q, letter, id)
  call('ZADD', listed_of(q), digits(bands[letter] * listed_band + now), id)
end
