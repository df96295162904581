-- Whether an attempt was ever made: its notes count it or know when it began.
-- Needs: lib_base
local function started(id)
  if call('HEXISTS', own, id) == 1 then return true end
  local noted = call('HGET', notes, id)
  return noted and (byte(noted, 3) ~= 0 or byte(noted, 2) >= 2)
end
