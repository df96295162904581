-- Takes tasks out of where they wait.
-- Needs: lib_groups lib_bundles

-- Takes the entry of a task that is not working out of wherever it waits. In a ready list it is voided:
-- finding it there would cost the length of the list.
local function take_out(q, id, body, noted)
  local record = call('HGET', waiting, id)
  if record then
    call('HDEL', waiting, id)
    call('ZREM', listed_of(q), id)
    if bundle.is_item(record) then bundle.leave(id) end
    return
  end
  if unhold(q, id, body) then return end
  local priority, text = priority_of(body), entry_of(id, body, noted)
  if call('ZREM', due_of(q), text) == 1 then
    call('ZREM', links, aside_member(id, body), 'a' .. id)
    return
  end
  if priority > 0 and priority < early.mark then
    call('ZREM', urgent_of(q), text)
  else
    call('HINCRBY', stale, name_of(q) .. '\n' .. id, 1)
    call('HINCRBY', counts, 'v:' .. name_of(q), 1)
  end
end
