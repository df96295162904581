-- bundle: the items that wait for the end of a carrier; nothing joins its bundle any more.
-- Keys:    the shard's
-- Args:    carrier, the last item seen ('' to begin), how many bytes at most, about
-- Returns: 'ok', now, the last one looked at ('' for none), 1 when there are more, then of each: id, place, body, notes
-- Cost:    O(items)
-- Needs:   lib_there lib_queues lib_bundles
local carrier, room, most = ARGV[1], tonumber(ARGV[3]), 150
free_first()
bundle.close(carrier)
local found, reply, last, more = links_of('c', carrier, most, ARGV[2]), {}, '', false
for i = 1, #found do
  if room <= 0 then
    more = true
    break
  end
  last = sub(found[i], 18)
  local record = call('HGET', waiting, last)
  if bundle.is_item(record) and call('ZSCORE', links, 'n' .. last .. carrier) then
    local body, noted, n = call('HGET', tasks, last), call('HGET', notes, last) or '', #reply
    if body then
      reply[n + 1], reply[n + 2], reply[n + 3], reply[n + 4] = last, tonumber(sub(record, 3, 15)), body, noted
      room = room - #body - #noted
    end
  end
end
return {'ok', now, last, (more or #found == most) and 1 or 0, unpack(reply)}
