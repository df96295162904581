-- submit, of an item whose id is known.

-- Whether an attempt was ever made: its notes count it or know when it began.
local function started(id)
  if call('HEXISTS', own, id) == 1 then return true end
  local noted = call('HGET', notes, id)
  return noted and (byte(noted, 3) ~= 0 or byte(noted, 2) >= 2)
end

-- What becomes of an item whose id is held by what `tasks` holds.
local function judge(id, held, conflict, missing)
  if is_ended(held) then
    if finished_at(held) + unique_for(held) <= now then return 'again' end
    return conflict == 'keep' and 'duplicate' or 'rejected'
  end
  if sub(call('HGET', waiting, id) or '', 1, 1) == 'r' then return 'busy' end
  if conflict == 'keep' then return 'duplicate' end
  if conflict == 'reject' or started(id) then return 'rejected' end
  local q, queue = queue_of(held)
  if not q then missing[#missing + 1] = queue end
  return 'replaced'
end
