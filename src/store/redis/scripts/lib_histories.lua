-- A history list that is empty goes with its counters; how many successes there were stays with its queue.
-- Needs: lib_base
local function forget_list(list)
  local queue, came = string.match(list, '^(.*):%d+$'), call('HGET', counts, 's:' .. list)
  if came then call('HINCRBY', counts, 's:' .. queue, came) end
  call('HDEL', counts, 's:' .. list, '-:' .. list, 'p:' .. list)
  call('SREM', histories, list)
end
