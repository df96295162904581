-- figures_read: what is counted of handlers in the last periods.
-- Keys:    the shard's; `figures:<period>` of each
-- Returns: 'ok', now, then field and number of each
-- Cost:    O(numbers)
-- Needs:   lib_there
local reply = {'ok', now}
for k = first_queue_key, #KEYS do
  local kept = call('HGETALL', KEYS[k])
  for i = 1, #kept do reply[#reply + 1] = kept[i] end
end
return reply
