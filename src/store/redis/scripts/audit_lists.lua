-- audit_lists: looks whether what stands in a page of an index has a body in that state.
-- Keys:    the shard's; six for the queue
-- Args:    1 to repair, which (ready, urgent, due, listed), from which position, how many
-- Returns: 'ok', now, 1 when there are more, the ids of a ready list in one text, then findings
-- Cost:    O(entries)
-- Needs:   lib_record lib_listed lib_finding
local which, from, count = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local keys_of = {ready = ready_of(1), urgent = urgent_of(1), due = due_of(1), listed = listed_of(1)}
local key = keys_of[which]
local range = which == 'ready' and 'LRANGE' or 'ZRANGE'
local found, ids = call(range, key, from, from + count - 1), {}

-- Whether it is the entry of such a task.
local function is_right(member, id, value)
  if which ~= 'listed' then
    local plain, noted = entries_of(id, body_of(value))
    return member == plain or member == noted
  end
  local band = math.floor(tonumber(call('ZSCORE', key, id)) / listed_band)
  if not is_ended(value) then return band == bands.w and call('HEXISTS', waiting, id) == 1 end
  return band == bands[state_letter(value)]
end

for i = 1, #found do
  local id = sub(found[i], 1, 16)
  local value = call('HGET', tasks, id)
  if which == 'ready' then
    ids[#ids + 1] = id
    local field = name_of(1) .. '\n' .. id
    local void = value or call('HEXISTS', stale, field) == 1
    if not void and finding('no_body', id, 'ready, but it has no body') then
      -- Taken out where it stands it would cost the length of the list: it is void.
      call('HINCRBY', stale, field, 1)
      call('HINCRBY', counts, 'v:' .. name_of(1), 1)
    end
  elseif not value then
    if finding('no_body', id, which .. ', but it has no body') then call('ZREM', key, found[i]) end
  elseif not is_right(found[i], id, value) then
    if finding('wrong_list', id, which .. ', but it is something else') then call('ZREM', key, found[i]) end
  end
end
return {'ok', now, #found == count and 1 or 0, table.concat(ids), unpack(findings)}
