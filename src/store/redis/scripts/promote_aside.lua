-- promote, tasks whose handler some workers do not know: they do not become ready, but stand aside.
-- Needs: lib_queues
-- Gives: apart

-- So many in one call: each takes a look at its body.
local strange_left = 50

-- Of what is due in queue q: the entries that become ready, the ids of those that stand aside, and those that do so in another
-- call. What has no notes was never put aside; where nothing is marked that is seen by one look.
function apart(q, entries)
  local noted = false
  for i = 1, #entries do noted = noted or #entries[i] > 16 and math.floor(byte(entries[i], 17) / 64) % 2 == 1 end
  if not noted or #call('ZRANGE', links, '[a', '(b', 'BYLEX', 'LIMIT', 0, 1) == 0 then return entries, {}, 0 end
  local plain, ids, later = {}, {}, 0
  for i = 1, #entries do
    local id = sub(entries[i], 1, 16)
    if not call('ZSCORE', links, 'a' .. id) then
      plain[#plain + 1] = entries[i]
    elseif strange_left > 0 then
      strange_left = strange_left - 1
      call('ZREM', links, 'a' .. id)
      call('ZREM', due_of(q), entries[i])
      ids[#ids + 1] = id
    else
      later = later + 1
    end
  end
  return plain, ids, later
end
