-- Deleting a task that has ended, with its biz_id, edges and stages.
-- Needs: lib_untie lib_staged lib_deleted lib_unwatch

-- False: some of its edges are left, and it is to be called again.
local function drop_ended(q, id, value)
  if not untie(id) then return false end
  leave_trace(id, life_of(value))
  call('HDEL', waiting, id)
  call('HDEL', tasks, id)
  forget_watchers(id)
  call('HDEL', notes, id)
  drop_stages(id)
  call('ZREM', buried, id)
  call('ZREM', listed_of(q), id)
  return true
end
