-- trim: deletes the oldest ended tasks of a queue beyond so many; ids go on refusing duplicates as promised.
-- Keys:    the shard's; six for the queue; its history lists
-- Args:    how many are kept (of successes, and of each other end), about how many are deleted at most
-- Returns: 'ok', now, how many were deleted or came nearer to it (0: nothing is left to do)
-- Cost:    O(deleted x history lists)
-- Needs:   lib_record lib_listed lib_deleted clean_drop trim_oldest
local most, limit, kept = tonumber(ARGV[1]), tonumber(ARGV[2]), 0
free_first()
for at = first_queue_key + 6, #KEYS do
  local list = sub(KEYS[at], #prefix + 9)
  local known = call('HMGET', counts, 's:' .. list, '-:' .. list)
  kept = kept + (known[1] or 0) - (known[2] or 0)
end
for at = first_queue_key + 6, kept > most and #KEYS or 0 do look(KEYS[at]) end
while kept > most and spent < limit do
  local oldest
  for key, time in pairs(times) do
    if not oldest or time < times[oldest] then oldest = key end
  end
  local entry = oldest and entries[oldest]
  if not entry or not drop_all(entry, limit, drop_unless_awaited) then break end
  pop_entry(oldest, entry)
  kept = kept - (#entry - 6) / 16
  look(oldest)
end

for _, letter in ipairs({'s', 'd', 'c', 'x'}) do
  local from, to = digits(bands[letter] * listed_band), '(' .. digits((bands[letter] + 1) * listed_band)
  local over, passed = call('ZCOUNT', listed_of(1), from, to) - most, 0
  while over > 0 and spent < limit do
    local ids = call('ZRANGE', listed_of(1), from, to, 'BYSCORE', 'LIMIT', passed, math.min(over, limit))
    if #ids == 0 then break end
    for i = 1, #ids do
      local value = spent < limit and call('HGET', tasks, ids[i])
      local goes = value and is_ended(value) and not is_awaited(ids[i])
      spent = spent + 1
      if goes then over = over - 1 end
      if not goes or not drop_buried(ids[i], value) then passed = passed + 1 end
    end
  end
end
mark_deleted(latest)
return {'ok', now, progress(limit)}
