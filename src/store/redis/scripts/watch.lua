-- watch: asks to be told when tasks end.
-- Keys:    the shard's
-- Args:    name of the watcher, ids
-- Returns: 'ok', now, (position, life, ended record) of those that have ended, positions of those unknown
-- Cost:    O(ids)
free_first()
local ids = {}
for i = 2, #ARGV do ids[i - 1] = ARGV[i] end
local bodies, records, over, unknown = hmget(tasks, ids), hmget(ended, ids), {}, {}
local me = ARGV[1] .. '\n'
for i = 1, #ids do
  if not bodies[i] then
    unknown[#unknown + 1] = i
  elseif records[i] then
    local n = #over
    over[n + 1], over[n + 2], over[n + 3] = i, sub(bodies[i], 4, 11), records[i]
  else
    local names = call('HGET', watched, ids[i]) or ''
    if not string.find('\n' .. names, '\n' .. me, 1, true) then call('HSET', watched, ids[i], names .. me) end
  end
end
return {'ok', now, over, unknown}
