-- Ending a task that has not ended, whoever has it; its worker, if it has one, is told.
-- Needs: lib_out lib_body lib_bury lib_torn

-- `outcome` is kept as long as the task says, if it says so.
local function call_off(q, id, body, outcome)
  local holder = call('HGET', own, id)
  if holder then
    call('HDEL', own, id)
    tear()
    local line = call('HGET', claims, holder)
    if line then
      call('PUBLISH', prefix .. 'wake:' .. sub(line, 1, string.find(line, '\n', 1, true) - 1), 'c' .. id)
    end
  else
    take_out(q, id, body, call('HEXISTS', notes, id) == 1)
  end
  bury(q, id, body, kept_as(outcome, body))
end
