-- What every script begins with: its keys, the time, and calls that take any number of values.
--
-- KEYS of every script: the shard's own keys in the order below, then five for each queue, then others
-- the script names.
local KEYS, ARGV = KEYS, ARGV
local call, byte, sub, char = redis.call, string.byte, string.sub, string.char
local tasks, notes, ended, own, leases, claims, lanes = unpack(KEYS, 1, 7)
local watched, stale, buried, histories, workers, cards, control = unpack(KEYS, 8, 14)
local prefix = sub(tasks, 1, -6)

-- The time once per call: floored for "is it due?", rounded up for "due in", so that nothing is ever
-- early.
local clock = call('TIME')
local micros = clock[1] * 1000000 + clock[2]
local now, upper = math.floor(micros / 1000), math.ceil(micros / 1000)

-- The names of a process's connections are its own name, a colon and a number.
local function process_of(name) return string.match(name, '^(.+):%d+$') or name end

-- Numbers above 14 digits lose some in Lua's own tostring.
local function digits(number) return string.format('%.0f', number) end

-- Queues are numbered from 1 in the order in which their keys came.
local function ready_of(q) return KEYS[10 + 5 * q] end
local function urgent_of(q) return KEYS[11 + 5 * q] end
local function due_of(q) return KEYS[12 + 5 * q] end
local function idle_of(q) return KEYS[13 + 5 * q] end
local function expiry_of(q) return KEYS[14 + 5 * q] end
-- The queue's name as it stands in keys.
local function name_of(q) return sub(KEYS[10 + 5 * q], #prefix + 7) end

-- The first write of what must work on a full Redis: after a write that frees, Redis lets a script add.
local function free_first() call('HDEL', control, 'none') end

-- One command over many values: Lua cannot unpack more than about 8000. `from`..`to` are positions in
-- `values`.
local function many(command, key, values, from, to)
  local total = 0
  for at = from, to, 4000 do
    local answer = call(command, key, unpack(values, at, math.min(at + 3999, to)))
    if type(answer) == 'number' then total = answer end
  end
  return total
end

local function hmget(key, fields)
  local n = #fields
  if n == 0 then return {} end
  if n <= 4000 then return call('HMGET', key, unpack(fields)) end
  local all = {}
  for at = 1, n, 4000 do
    local some = call('HMGET', key, unpack(fields, at, math.min(at + 3999, n)))
    for i = 1, #some do all[at + i - 1] = some[i] end
  end
  return all
end

-- A fixed-width number in a record: `width` bytes from position `at`.
local function number_at(record, at, width)
  local value = 0
  for i = at, at + width - 1 do value = value * 256 + byte(record, i) end
  return value
end
