-- Edges of tasks that are not there. Nothing leaves any, but what deletes by hand or damages a store.
-- Needs: lib_forget

-- Whether an edge is one. What another shard keeps only that one could look at.
local function is_stray(edge)
  local letter, owner, other = sub(edge, 1, 1), sub(edge, 2, 17), sub(edge, 18)
  -- No edge, but of a task that stands aside, or will again.
  if letter == 'h' or letter == 'a' then return call('HEXISTS', tasks, sub(edge, -16)) == 0 end
  if #edge ~= 33 or letter == 'u' or call('HEXISTS', tasks, owner) == 1 then return false end
  if letter ~= 'c' then return true end
  -- What waits for a later task of that id stays.
  local record = is_away(other) or call('HGET', waiting, other)
  if not record or record == true then return not record end
  -- A cancelled one may be taken back, and waits then for what it never heard of.
  return sub(record, 1, 1) == 'f' and not call('ZSCORE', links, 'n' .. other .. owner)
end

local function drop_stray(edge)
  local letter, owner, other = sub(edge, 1, 1), sub(edge, 2, 17), sub(edge, 18)
  call('ZREM', links, edge)
  if letter == 'c' then unmark(owner) end
  if letter ~= 'n' and letter ~= 'f' then return end
  if is_away(other) then
    call('ZADD', links, 0, 'u' .. owner .. other)
    announce({owner .. 'u'})
  else
    call('ZREM', links, 'c' .. other .. owner)
    unmark(other)
  end
end
