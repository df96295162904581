-- What the news of a parent change at a task that waits for it, or was cancelled because of it.
-- Needs: lib_news lib_away

-- Returns whether the task is to hear of this parent again. `record` is what `waiting` holds of it.
local function hear(one, record)
  local needs, failed = 'n' .. one.id .. one.parent, 'f' .. one.id .. one.parent
  if one.what == 's' then
    call('ZREM', links, needs, failed)
  elseif one.what == 'v' then
    if call('ZREM', links, failed) == 1 then
      call('ZADD', links, 0, needs)
      -- Whether that is overtaken only the parent's shard knows: it is asked, now that it was told here.
      if is_away(one.parent) then announce({one.id .. 'w'}) end
    end
    return true
  elseif one.what ~= 'k' and call('ZREM', links, needs) == 1 then
    if sub(record, 2, 2) == 'r' then return false end
    call('ZADD', links, 0, failed)
    return true
  end
  return one.what ~= 's' and one.what ~= 'k' and call('ZSCORE', links, failed) ~= false
end
