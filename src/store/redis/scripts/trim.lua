-- trim: deletes the oldest ended tasks of a queue beyond so many; ids go on refusing duplicates as promised.
-- Keys:    the shard's; six for the queue; its history lists
-- Args:    how many are kept (of successes, and of each other end), about how many are looked at at most
-- Returns: 'ok', now, how many were deleted or came nearer to it (0: nothing is left to do)
-- Cost:    O(deleted x history lists + passed, which stay x log tasks)
-- Needs:   lib_record lib_listed lib_deleted clean_drop trim_oldest
local most = tonumber(ARGV[1])
free_first()
local successes, total = band_of('s'), 0
for at = first_queue_key + 6, #KEYS do
  local list = sub(KEYS[at], #prefix + 9)
  local known = call('HMGET', counts, 's:' .. list, '-:' .. list)
  total = total + (known[1] or 0) - (known[2] or 0)
end
total = total + successes.size
for at = first_queue_key + 6, total > most and #KEYS or 0 do look(KEYS[at]) end
while total > most and spent < limit do
  local list = oldest_list()
  local id, value, time = oldest_of(successes)
  if id and not (list and times[list] < time) then
    drop_listed(successes, id, value)
    total = total - 1
  else
    local entry, before = list and entries[list], moved
    if not entry or not drop_all(entry, limit, drop_unless_awaited) then break end
    pop_entry(list, entry)
    total = total - (#entry - 6) / 16 + moved - before
    successes.past = successes.past + moved - before
    look(list)
  end
end
leave(successes, total > most)

for _, letter in ipairs({'d', 'c', 'x'}) do
  local band = band_of(letter)
  local over = band.size - most
  while over > 0 and spent < limit do
    local id, value = oldest_of(band)
    if not id then break end
    drop_listed(band, id, value)
    over = over - 1
  end
  leave(band, over > 0)
end
mark_deleted(latest)
return {'ok', now, progress(limit)}
