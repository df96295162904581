-- Whether an attempt was ever made: its notes count it or know when it began.
-- Needs: lib_bundles
local function started(id)
  if call('HEXISTS', own, id) == 1 then return true end
  local noted = call('HGET', notes, id)
  if noted and (byte(noted, 3) ~= 0 or byte(noted, 2) >= 2) then return true end
  -- An item has when its bundle has.
  local carrier = bundle.is_item(call('HGET', waiting, id)) and bundle.carrier_of(id)
  return carrier and (bundle.is_under_way(carrier) or call('HEXISTS', notes, carrier) == 1)
end
