-- Decides what follows for a task from how its parents stand. `record` is what `waiting` holds of it.
-- `outcome`: when it is cancelled now (may be empty); `gathered`: when it is a group, all of whose members
-- succeeded.
-- Needs: lib_settle
local function settle(id, record, outcome, gathered, wakes)
  local phase, rule = sub(record, 1, 1), sub(record, 2, 2)
  if phase == 'r' or phase == 'g' then return end
  if phase == 'f' then
    if any_link('f', id) then return end
    take_up(id, record)
  end
  local unmet = any_link('n', id)
  -- Some rules do not ask for the failed while others have not ended.
  if unmet and rule ~= 'c' then return end
  if any_link('f', id) then
    if rule ~= 'w' then forsake(id, record, outcome) end
  elseif not unmet then
    if rule == 'g' then gather(id, record, gathered) else release(id, record, wakes) end
  end
end
