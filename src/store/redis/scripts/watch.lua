-- watch: asks to be told when tasks end.
-- Keys:    the shard's
-- Args:    name of the watcher, (id, life) pairs; life: 8 bytes, '' for any
-- Returns: 'ok', now, (position, life, end) of those that have ended, positions of those unknown,
--          positions of those whose id has another life now, of those deleted since they ended, and of those not
--          looked at (the reply is full)
-- Cost:    O(ids)
-- Needs:   lib_record lib_deleted lib_silent lib_unwatch
free_first()
local most_bytes = 512000  -- as much as a call carries (lib_most.lua)
local over, unknown, gone, deleted, later, bytes = {}, {}, {}, {}, {}, 0
local me, any_watched = ARGV[1] .. '\n', call('HLEN', watched) > 1

-- Of an end that was announced, or not heard of (lib_end.lua): it stays no longer for this watcher's sake.
local function fetched(id)
  local names = any_watched and call('HGET', watched, id)
  local at = names and string.find('\n' .. names, '\n' .. me, 1, true)
  if not at then return end
  local others = sub(names, 1, at - 1) .. sub(names, at + #me)
  if others == '' then call('HDEL', watched, id) else call('HSET', watched, id, others) end
end

local function look(i, id, life)
  local body = call('HGET', tasks, id)
  if not body then
    if any_watched then forget_watchers(id) end
    local into = was_deleted(id, life) and deleted or unknown
    into[#into + 1] = i
    return
  end
  local now_life = life_of(body)
  if life ~= '' and life ~= now_life then
    gone[#gone + 1] = i
    return
  end
  if is_ended(body) then
    fetched(id)
    local record = end_of(body)
    local n = #over
    over[n + 1], over[n + 2], over[n + 3] = i, now_life, record
    bytes = bytes + #record
    return
  end
  local names = call('HGET', watched, id) or ''
  -- Of a task that lives long, many may have come to wait and died.
  if #names > 4096 then names = heard_names(names) end
  if not string.find('\n' .. names, '\n' .. me, 1, true) then call('HSET', watched, id, names .. me) end
end

for at = 2, #ARGV, 2 do
  local i = at / 2
  if bytes > most_bytes then later[#later + 1] = i else look(i, ARGV[at], ARGV[at + 1]) end
end
return {'ok', now, over, unknown, gone, deleted, later}
