-- Bundles: items of one key that are run together. An item waits (rule b, its place in the bundle where others have their due
-- time) for the end of the carrier, a task that is run for all of them: edges n and c stand between them as between any two of which
-- one depends on the other.
--
-- `bundles`: 'k' and the key -> the open one: carrier (16), digits: begun 13, items so far 6, bytes 9; 'c' and a carrier -> its key.
-- A bundle is open until it is full or its carrier is claimed: as long as that is delayed or ready, and has never run.
-- One table: Lua allows a script 200 local names, and some have nearly as many.
-- Needs: lib_links
local bundle = {open = prefix .. 'bundles'}

-- The version in its id.
function bundle.is_carrier(id) return math.floor(byte(id, 7) / 16) == 5 end

function bundle.is_item(record) return record and sub(record, 2, 2) == 'b' end

-- Of an item.
function bundle.carrier_of(id)
  local found = links_of('n', id, 100)
  for i = 1, #found do
    local parent = sub(found[i], 18)
    if bundle.is_carrier(parent) then return parent end
  end
end

function bundle.leave(id)
  local carrier = bundle.carrier_of(id)
  if carrier then call('ZREM', links, 'n' .. id .. carrier, 'c' .. carrier .. id) end
end

-- It is claimed, or has ended and its items have yet to hear of that: what becomes of them is decided.
function bundle.is_under_way(carrier)
  if call('HEXISTS', own, carrier) == 1 then return true end
  for _, letter in ipairs({'s', 'd', 'c', 'x'}) do
    if call('ZSCORE', outbox, carrier .. letter) then return true end
  end
  return false
end

function bundle.close(carrier)
  local key = call('HGET', bundle.open, 'c' .. carrier)
  if key then call('HDEL', bundle.open, 'c' .. carrier, 'k' .. key) end
end
