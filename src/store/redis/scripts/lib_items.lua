-- What becomes of an item whose carrier has ended.
-- Needs: lib_settle lib_bundles lib_earliest lib_counts

-- `outcome`: how it ends; or 'R', 13 digits of ms and its notes: it is collected again after that; or 'A': it is ready.
function bundle.settle(one, record, wakes)
  local id, outcome, needs = one.id, one.outcome, 'n' .. one.id .. one.parent
  if not bundle.is_item(record) or call('ZREM', links, needs) == 0 then return end
  local q, letter = queue_in(record), sub(outcome, 1, 1)
  local priority = marked_priority(byte(record, 16))
  call('HDEL', waiting, id)
  call('ZREM', listed_of(q), id)
  if letter == 'R' then
    local due = upper + tonumber(sub(outcome, 2, 14))
    if due < earliest(q) then wakes[q] = wakes[q] or 1 end
    call('HSET', notes, id, sub(outcome, 15))
    call('ZADD', due_of(q), digits(retry_band + due), entry(id, priority, true))
    count('f', q, 1)
  elseif letter == 'A' then
    make_ready(q, entry(id, priority, call('HEXISTS', notes, id) == 1))
    wakes[q] = (wakes[q] or 0) + 1
  else
    call('HDEL', notes, id)
    bury(q, id, call('HGET', tasks, id), outcome)
  end
end
