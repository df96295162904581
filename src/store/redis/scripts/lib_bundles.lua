-- Bundles: items of one key that are run together. An item waits (rule b, its place in the bundle where others have their due
-- time) for the end of the carrier, a task that is run for all of them: edges n and c stand between them as between any two of which
-- one depends on the other.
--
-- `bundles`: 'k' and the key -> the open one: carrier (16), digits: begun 13, items so far 6, bytes 9; 'c' and a carrier -> its key.
-- A bundle is open as long as its carrier stands in `due`, before its time, and has never run.
-- Needs: lib_links
local bundles = prefix .. 'bundles'

-- The version in its id.
local function is_carrier(id) return math.floor(byte(id, 7) / 16) == 5 end

-- Of an item.
local function carrier_of(id)
  local found = links_of('n', id, 100)
  for i = 1, #found do
    local parent = sub(found[i], 18)
    if is_carrier(parent) then return parent end
  end
end

local function is_item(record) return record and sub(record, 2, 2) == 'b' end

local function leave_bundle(id)
  local carrier = carrier_of(id)
  if carrier then call('ZREM', links, 'n' .. id .. carrier, 'c' .. carrier .. id) end
end

local function close_bundle(carrier)
  local key = call('HGET', bundles, 'c' .. carrier)
  if key then call('HDEL', bundles, 'c' .. carrier, 'k' .. key) end
end
